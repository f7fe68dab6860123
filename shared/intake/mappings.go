package intake

import (
	"bytes"
	"sync"

	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
)

// maxMappings bounds the texts of the mappings that are kept, in bytes.
const maxMappings = 1 << 20

// mappings keeps the mappings of integrations as they were read: to read one costs more than
// to apply it.
type mappings struct {
	mu   sync.Mutex
	of   map[int64]keptMapping // by the id of the integration
	size int
}

type keptMapping struct {
	text []byte
	mapping.Mapping
}

// read returns the mapping of the integration. It is for reading alone.
func (m *mappings) read(i integration.Integration) (mapping.Mapping, error) {
	m.mu.Lock()
	kept, ok := m.of[i.ID]
	m.mu.Unlock()
	if ok && bytes.Equal(kept.text, i.Mapping) {
		return kept.Mapping, nil
	}
	read, err := mapping.Parse(i.Mapping, "mapping")
	if err == nil {
		m.keep(i, read)
	}
	return read, err
}

// keep keeps a mapping, and begins anew when that would be too many.
func (m *mappings) keep(i integration.Integration, read mapping.Mapping) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size -= len(m.of[i.ID].text)
	if m.of == nil || m.size+len(i.Mapping) > maxMappings {
		m.of, m.size = map[int64]keptMapping{}, 0
	}
	m.of[i.ID] = keptMapping{i.Mapping, read}
	m.size += len(i.Mapping)
}

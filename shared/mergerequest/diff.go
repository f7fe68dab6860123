package mergerequest

import (
	"encoding/json"
	"slices"
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
)

// Diff is what a merge request changes in a file.
type Diff struct {
	OldPath       string `json:"old_path"`
	NewPath       string `json:"new_path"`
	AMode         string `json:"a_mode"`
	BMode         string `json:"b_mode"`
	Diff          string `json:"diff"`
	NewFile       bool   `json:"new_file"`
	RenamedFile   bool   `json:"renamed_file"`
	DeletedFile   bool   `json:"deleted_file"`
	GeneratedFile bool   `json:"generated_file"`
	Collapsed     bool   `json:"collapsed"`
	TooLarge      bool   `json:"too_large"`
}

// Diffs are all of a merge request. Overflow means that there are more than the
// platform reported.
type Diffs struct {
	Files    []Diff `json:"files"`
	Overflow bool   `json:"overflow"`
}

// maxDiffs is the size of all diffs of a merge request, in bytes of JSON. The stores
// keep them in one item.
const maxDiffs = 300 << 10

// ParseDiffs reads a list of diffs.
func ParseDiffs(list []byte) ([]Diff, error) {
	files := []Diff{}
	if err := json.Unmarshal(list, &files); err != nil {
		return nil, fault.Field("diffs", "is invalid")
	}
	if slices.ContainsFunc(files, func(d Diff) bool { return d.OldPath == "" && d.NewPath == "" }) {
		return nil, fault.Field("diffs", "needs the paths of each file")
	}
	if encoded, err := record.Encode(files); err != nil || len(encoded) > maxDiffs {
		return nil, fault.Field("diffs", "is too long (maximum is "+strconv.Itoa(maxDiffs>>10)+" KiB; leave out the rest and set overflow)")
	}
	return files, nil
}

// diffs are stored with the number of their merge request.
var diffs = record.Of[Diffs]{Kind: "merge_request_diffs"}

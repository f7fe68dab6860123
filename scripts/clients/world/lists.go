package main

import "gatehouse/scripts/clients/people"

// lists returns what every client asks for. Somebody who finds a group takes it for a
// group in which the person has a role, and may let them in elsewhere.
func (w world) lists() []people.List {
	var lists []people.List
	ask := func(by, of string, filter map[string]any, want ...string) {
		lists = append(lists, people.List{By: by, Of: of, Filter: filter, Want: w.all(want...)})
	}
	marco := w.named("marco")
	ask("administrator", "users", map[string]any{"search": email(marco)}, "marco")
	ask("administrator", "users", map[string]any{"search": email(marco), "per_page": 1}, "marco")
	ask("administrator", "users", map[string]any{"username": marco}, "marco")
	ask("administrator", "users", map[string]any{"search": marco}, "marco")
	ask("administrator", "users", map[string]any{"search": "nobody" + email(marco)})
	ask("administrator", "users", map[string]any{"username": "nobody" + marco})
	ask("administrator", "users", map[string]any{"search": w.suffix, "active": true}, "ada", "marco", "zoe")
	ask("administrator", "users", map[string]any{"search": w.suffix, "blocked": true}, "luca")
	ask("administrator", "users", map[string]any{"search": w.suffix, "order_by": "name", "sort": "desc"}, "zoe", "marco", "luca", "ada")

	ask("ada", "groups", map[string]any{"min_access_level": 10}, "bakery", "bakery/oven", "kitchen")
	ask("ada", "groups", map[string]any{"min_access_level": 40}, "bakery", "bakery/oven")
	ask("ada", "groups", map[string]any{"owned": true}, "bakery", "bakery/oven")
	ask("ada", "groups", map[string]any{"all_available": false}, "bakery", "bakery/oven", "kitchen")
	ask("ada", "groups", map[string]any{"search": w.suffix}, "bakery", "harbour", "kitchen", "market")
	ask("ada", "groups", map[string]any{"search": w.suffix, "min_access_level": 10}, "bakery", "kitchen")
	ask("ada", "groups", map[string]any{"search": w.suffix, "visibility": "internal"}, "market")
	ask("ada", "groups", map[string]any{"top_level_only": true, "min_access_level": 10}, "bakery", "kitchen")
	ask("ada", "groups", map[string]any{"search": w.suffix, "order_by": "path", "sort": "desc"}, "market", "kitchen", "harbour", "bakery")
	ask("ada", "groups", map[string]any{"search": "vault" + w.suffix})

	ask("ada", "projects", map[string]any{"search": w.suffix}, "ada/notes",
		"bakery/bread", "bakery/oven/doors", "harbour/crane", "kitchen/stove", "market/stall")
	ask("ada", "projects", map[string]any{"search": "DOORS", "membership": true}, "bakery/oven/doors")
	ask("ada", "projects", map[string]any{"search": "gold"})
	ask("ada", "projects", map[string]any{"membership": true}, "ada/notes",
		"bakery/bread", "bakery/oven/doors", "harbour/crane", "kitchen/stove")
	ask("ada", "projects", map[string]any{"owned": true}, "ada/notes", "bakery/bread", "bakery/oven/doors")
	ask("ada", "projects", map[string]any{"min_access_level": 30}, "ada/notes", "bakery/bread", "bakery/oven/doors", "kitchen/stove")
	ask("ada", "projects", map[string]any{"membership": true, "archived": true})
	ask("ada", "projects", map[string]any{"membership": true, "simple": true, "archived": false}, "ada/notes",
		"bakery/bread", "bakery/oven/doors", "harbour/crane", "kitchen/stove")
	ask("ada", "projects", map[string]any{"search": w.suffix, "visibility": "internal"}, "market/stall")
	ask("ada", "projects", map[string]any{"membership": true, "order_by": "path", "sort": "asc"},
		"bakery/bread", "harbour/crane", "bakery/oven/doors", "ada/notes", "kitchen/stove")
	ask("ada", "projects", map[string]any{"membership": true, "starred": true})
	return append(lists, people.List{
		By: "ada", Of: "projects", Filter: map[string]any{"topic": "bread"}, Refused: "topic is not supported",
	})
}

"""Asks for lists, and makes the calls of Gatehouse's deprecated surfaces, with
python-gitlab, as applications written for it do."""

from surfaces import approvals, geo_nodes, lists, merge_requests, mirrors, protection, runners, users, variables

SURFACES = {
    "lists with filters": lists,
    "merge requests": merge_requests,
    "geo nodes": geo_nodes,
    "private profiles": users,
    "branch protection": protection,
    "pipeline variables": variables,
    "pull mirrors": mirrors,
    "approvals": approvals,
    "runners": runners,
}

for surface in SURFACES.values():
    surface.walk()
print(f"python-gitlab: {', '.join(SURFACES)}")

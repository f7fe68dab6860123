"""Geo sites, which the library knows by their older name alone."""

from gitlab.exceptions import GitlabGetError

from judge import admin, refused, told, unique
from people import BASE, check

ROW = "geo-nodes"


def walk():
    made = new_node(f"https://{unique('rome')}.example.com/")
    to = f"/geo_sites/{made['id']}"
    node = told(admin.geonodes.get(made["id"]), ROW, to)
    check("the node", node.attributes, made)
    check("the link to it", node._links["self"], f"{BASE}/api/v4/geo_nodes/{node.id}")
    check("what it copies", (node.selective_sync_type, node.selective_sync_shards), (None, []))
    listed = told(admin.geonodes.list(get_all=True), ROW, "/geo_sites")
    check("the listed node", [n.attributes for n in listed if n.id == node.id], [made])

    node.enabled, node.files_max_capacity, node.repos_max_capacity = False, 21, 22
    told(node.save(), ROW, to)
    got = node.enabled, node.files_max_capacity, node.repos_max_capacity
    check("the changed node", got, (False, 21, 22))
    told(node.repair(), ROW, f"{to}/repair")
    status(node, f"{to}/status")
    told(node.delete(), ROW, to)
    refused(GitlabGetError, 404, lambda: admin.geonodes.get(made["id"]))
    failures()


def new_node(url):
    """Makes a node. The library has no call for that."""
    created = admin.http_post("/geo_nodes", post_data={"name": unique("node"), "url": url})
    return told(created, ROW, "/geo_sites")


def report(node_id, **said):
    reported = admin.http_put(f"/geo_nodes/{node_id}/status", post_data=said)
    told(reported, ROW, f"/geo_sites/{node_id}/status")


def status(node, to):
    report(node.id, health="Slow", healthy=False, db_replication_lag_seconds=3)
    got = told(node.status(), ROW, to)
    want = node.id, "Slow", False, 3
    names = "geo_node_id", "health", "healthy", "db_replication_lag_seconds"
    check("the status", tuple(got[name] for name in names), want)
    all_of_them = told(admin.geonodes.status(get_all=True), ROW, "/geo_sites/status")
    check("the listed status", [s for s in all_of_them if s["geo_node_id"] == node.id], [got])


def failures():
    here = new_node(BASE)
    failure = {"project_id": 3, "last_repository_sync_failure": "Timeout"}
    report(here["id"], failures=[failure])
    listed = admin.geonodes.current_failures(get_all=True)
    check("failures", told(listed, ROW, "/geo_sites/current/failures"), [failure])
    told(admin.geonodes.delete(here["id"]), ROW, f"/geo_sites/{here['id']}")

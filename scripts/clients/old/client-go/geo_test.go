package clientgo

import (
	"errors"
	"fmt"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// status is what a site reports of itself in these tests.
var status = map[string]any{"healthy": true, "db_replication_lag_seconds": 3, "lfs_objects_synced_in_percentage": "100.00%", "version": "17.9.0"}

func TestGeoNodes(t *testing.T) {
	admin := administrator(t)
	base, _ := judge.Server(t)
	name := judge.Unique("berlin")
	node := call(admin.GeoNodes.CreateGeoNode(&gitlab.CreateGeoNodesOptions{
		Name: &name, URL: gitlab.Ptr("https://berlin.example.com/"), InternalURL: gitlab.Ptr("https://berlin.internal/"),
		SelectiveSyncType: gitlab.Ptr("shards"), SelectiveSyncShards: &[]string{"first", "second"}, SelectiveSyncNamespaceIds: &[]int{5, 6},
		FilesMaxCapacity: gitlab.Ptr(21),
	})).Moved(t, "geo-nodes", "/geo_sites")
	one, to := fmt.Sprintf("%s/api/v4/geo_nodes/%d", base, node.ID), fmt.Sprintf("/geo_sites/%d", node.ID)
	judge.Equal(t, "the node", node, &gitlab.GeoNode{
		ID: node.ID, Name: name, URL: "https://berlin.example.com/", InternalURL: "https://berlin.internal/", Enabled: true,
		FilesMaxCapacity: 21, ReposMaxCapacity: 10, VerificationMaxCapacity: 100, ContainerRepositoriesMaxCapacity: 10,
		SelectiveSyncType: "shards", SelectiveSyncShards: []string{"first", "second"}, SelectiveSyncNamespaceIds: []int{5, 6},
		MinimumReverificationInterval: 7, WebEditURL: fmt.Sprintf("https://berlin.example.com/admin/geo/nodes/%d/edit", node.ID),
		Links: gitlab.GeoNodeLinks{Self: one, Status: one + "/status", Repair: one + "/repair"},
	})

	listed := call(admin.GeoNodes.ListGeoNodes(&gitlab.ListGeoNodesOptions{PerPage: 100})).Moved(t, "geo-nodes", "/geo_sites")
	judge.Equal(t, "the listed node", only(t, listed, func(n *gitlab.GeoNode) bool { return n.ID == node.ID }), node)
	node = call(admin.GeoNodes.EditGeoNode(node.ID, &gitlab.UpdateGeoNodesOptions{
		ID:      &node.ID, // which the client sends as primary
		Enabled: gitlab.Ptr(false), SelectiveSyncType: gitlab.Ptr(""), SelectiveSyncShards: &[]string{}, MinimumReverificationInterval: gitlab.Ptr(30),
	})).Moved(t, "geo-nodes", to)
	judge.Equal(t, "whether the changed node is primary and enabled", []bool{node.Primary, node.Enabled}, []bool{false, false})
	judge.Equal(t, "what the changed node copies", node.SelectiveSyncType, "")
	judge.Equal(t, "its shards", node.SelectiveSyncShards, []string{})
	judge.Equal(t, "its interval", node.MinimumReverificationInterval, 30)
	judge.Equal(t, "the node", call(admin.GeoNodes.GetGeoNode(node.ID)).Moved(t, "geo-nodes", to), node)
	judge.Equal(t, "the repaired node", call(admin.GeoNodes.RepairGeoNode(node.ID)).Moved(t, "geo-nodes", to+"/repair"), node)

	done(admin.GeoNodes.DeleteGeoNode(node.ID)).Moved(t, "geo-nodes", to)
	if _, _, err := admin.GeoNodes.GetGeoNode(node.ID); !errors.Is(err, gitlab.ErrNotFound) {
		t.Errorf("the deleted node gave %v", err)
	}
}

func TestStatusOfGeoNodes(t *testing.T) {
	admin := administrator(t)
	node := call(admin.GeoNodes.CreateGeoNode(&gitlab.CreateGeoNodesOptions{
		Name: gitlab.Ptr(judge.Unique("paris")), URL: gitlab.Ptr("https://paris.example.com/"),
	})).Moved(t, "geo-nodes", "/geo_sites")
	path := fmt.Sprintf("geo_nodes/%d/status", node.ID)
	to := fmt.Sprintf("/geo_sites/%d/status", node.ID)
	silent := call(admin.GeoNodes.RetrieveStatusOfGeoNode(node.ID)).Moved(t, "geo-nodes", to)
	judge.Equal(t, "the status before a report", silent, &gitlab.GeoNodeStatus{GeoNodeID: node.ID, Health: "Unknown"})

	report(t, admin, path, status).Moved(t, "geo-nodes", to)
	got := call(admin.GeoNodes.RetrieveStatusOfGeoNode(node.ID)).Moved(t, "geo-nodes", to)
	judge.Equal(t, "the status", got, &gitlab.GeoNodeStatus{
		GeoNodeID: node.ID, Health: "Healthy", Healthy: true, DbReplicationLagSeconds: 3, LfsObjectsSyncedInPercentage: "100.00%", Version: "17.9.0",
	})
	all := call(admin.GeoNodes.RetrieveStatusOfAllGeoNodes()).Moved(t, "geo-nodes", "/geo_sites/status")
	judge.Equal(t, "the listed status", only(t, all, func(s *gitlab.GeoNodeStatus) bool { return s.GeoNodeID == node.ID }), got)
}

func TestGeoSites(t *testing.T) {
	admin := administrator(t)
	base, _ := judge.Server(t)
	name := judge.Unique("oslo")
	site := call(admin.GeoSites.CreateGeoSite(&gitlab.CreateGeoSitesOptions{
		Name: &name, URL: &base, SyncObjectStorage: gitlab.Ptr(true),
	})).Silent(t)
	one := fmt.Sprintf("%s/api/v4/geo_sites/%d", base, site.ID)
	judge.Equal(t, "the site", site, &gitlab.GeoSite{
		ID: site.ID, Name: name, URL: base, InternalURL: base, Enabled: true, Current: true,
		FilesMaxCapacity: 10, ReposMaxCapacity: 10, VerificationMaxCapacity: 100, ContainerRepositoriesMaxCapacity: 10,
		SelectiveSyncShards: []string{}, SelectiveSyncNamespaceIDs: []int{}, MinimumReverificationInterval: 7, SyncObjectStorage: true,
		WebEditURL:                  fmt.Sprintf("%s/admin/geo/sites/%d/edit", base, site.ID),
		WebGeoReplicationDetailsURL: fmt.Sprintf("%s/admin/geo/sites/%d/replication/lfs_objects", base, site.ID),
		Links:                       gitlab.GeoSiteLinks{Self: one, Status: one + "/status", Repair: one + "/repair"},
	})

	listed := call(admin.GeoSites.ListGeoSites(&gitlab.ListGeoSitesOptions{PerPage: 100})).Silent(t)
	judge.Equal(t, "the listed site", only(t, listed, func(s *gitlab.GeoSite) bool { return s.ID == site.ID }), site)
	site = call(admin.GeoSites.EditGeoSite(site.ID, &gitlab.EditGeoSiteOptions{FilesMaxCapacity: gitlab.Ptr(1)})).Silent(t)
	judge.Equal(t, "the changed limit", site.FilesMaxCapacity, 1)
	judge.Equal(t, "the site", call(admin.GeoSites.GetGeoSite(site.ID)).Silent(t), site)
	judge.Equal(t, "the repaired site", call(admin.GeoSites.RepairGeoSite(site.ID)).Silent(t), site)

	report(t, admin, fmt.Sprintf("geo_sites/%d/status", site.ID), status).Silent(t)
	got := call(admin.GeoSites.GetStatusOfGeoSite(site.ID)).Silent(t)
	judge.Equal(t, "the status", got, &gitlab.GeoSiteStatus{
		GeoNodeID: site.ID, Health: "Healthy", Healthy: true, DBReplicationLagSeconds: 3, LFSObjectsSyncedInPercentage: "100.00%", Version: "17.9.0",
		Links: gitlab.GeoSiteStatusLink{Self: one + "/status", Site: one},
	})
	all := call(admin.GeoSites.ListStatusOfAllGeoSites(&gitlab.ListStatusOfAllGeoSitesOptions{PerPage: 100})).Silent(t)
	judge.Equal(t, "the listed status", only(t, all, func(s *gitlab.GeoSiteStatus) bool { return s.GeoNodeID == site.ID }), got)
	done(admin.GeoSites.DeleteGeoSite(site.ID)).Silent(t)
}

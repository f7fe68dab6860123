module gatehouse/scripts/clients/old

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/xanzy/go-gitlab v0.115.0
	gitlab.com/gitlab-org/api/client-go v0.128.0
)

require (
	github.com/google/go-querystring v1.1.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.7 // indirect
	golang.org/x/oauth2 v0.25.0 // indirect
	golang.org/x/time v0.10.0 // indirect
)

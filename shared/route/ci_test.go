package route_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// services are what the actions on resources of CloudFormation begin with.
var services = map[string]string{
	"ApiGatewayV2": "apigateway", "CloudWatch": "cloudwatch", "DynamoDB": "dynamodb", "Lambda": "lambda", "Logs": "logs",
	"SNS": "sns", "SQS": "sqs", "SecretsManager": "secretsmanager", "Serverless": "lambda",
}

// Whatever the template has, the role that deploys from CI may make.
func TestTheRoleOfCIKnowsEveryService(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "functions/docs/ci/policy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var policy struct{ Statement []struct{ Action any } }
	if err := json.Unmarshal(text, &policy); err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for _, s := range policy.Statement {
		actions, several := s.Action.([]any)
		if !several {
			actions = []any{s.Action}
		}
		for _, action := range actions {
			service, _, _ := strings.Cut(action.(string), ":")
			allowed[service] = true
		}
	}
	for id, r := range read(t).Resources {
		if service := services[strings.Split(r.Type, "::")[1]]; !allowed[service] {
			t.Errorf("the policy allows nothing of %s, which %s needs", r.Type, id)
		}
	}
}

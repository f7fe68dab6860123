// Package tables makes the tables of the distributed store as template.yaml
// defines them, where no deployment does: for the local server and for tests.
package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.yaml.in/yaml/v3"

	"gatehouse/shared/storage/dynamodb"
)

// Definition is an AWS::DynamoDB::Table resource, as far as it is used here.
type Definition struct {
	TableName            Name        `yaml:"TableName"`
	AttributeDefinitions []Attribute `yaml:"AttributeDefinitions"`
	KeySchema            []Element   `yaml:"KeySchema"`
	BillingMode          string      `yaml:"BillingMode"`
	TimeToLive           TimeToLive  `yaml:"TimeToLiveSpecification"`
	Indexes              []Index     `yaml:"GlobalSecondaryIndexes"`
	Stream               Stream      `yaml:"StreamSpecification"`
}

// Name is what a table is called: by the stack's name, where a parameter can name another
// prefix.
type Name string

// UnmarshalYAML takes text or an !If, which ends with what holds without the parameter.
func (n *Name) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode && len(node.Content) > 0 {
		node = node.Content[len(node.Content)-1]
	}
	return node.Decode((*string)(n))
}

func (n Name) pointer() *string { return aws.String(string(n)) }

// Index is a second key of a table.
type Index struct {
	Name       string     `yaml:"IndexName"`
	KeySchema  []Element  `yaml:"KeySchema"`
	Projection Projection `yaml:"Projection"`
}

// Projection says which attributes an index holds.
type Projection struct {
	Type string `yaml:"ProjectionType"`
}

// Stream says what a table's stream tells of each change; empty: there is none.
type Stream struct {
	View string `yaml:"StreamViewType"`
}

// Attribute is the name of a key's part, and its type.
type Attribute struct {
	Name string `yaml:"AttributeName"`
	Type string `yaml:"AttributeType"`
}

// Element is a part of a table's key: HASH or RANGE.
type Element struct {
	Name string `yaml:"AttributeName"`
	Type string `yaml:"KeyType"`
}

// TimeToLive names the attribute by which items expire.
type TimeToLive struct {
	Attribute string `yaml:"AttributeName"`
	Enabled   bool   `yaml:"Enabled"`
}

// stackName is what a template writes for the name of its deployment.
const stackName = "${AWS::StackName}"

// Read returns the tables that a template defines, with the prefix in place
// of the stack's name.
func Read(template, prefix string) ([]Definition, error) {
	text, err := os.ReadFile(template)
	if err != nil {
		return nil, err
	}
	var parsed struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &parsed); err != nil {
		return nil, fmt.Errorf("%s: %w", template, err)
	}
	var definitions []Definition
	for name, resource := range parsed.Resources {
		if resource.Type != "AWS::DynamoDB::Table" {
			continue
		}
		var d Definition
		if err := resource.Properties.Decode(&d); err != nil {
			return nil, fmt.Errorf("%s: resource %s: %w", template, name, err)
		}
		d.TableName = Name(strings.ReplaceAll(string(d.TableName), stackName, prefix))
		definitions = append(definitions, d)
	}
	if len(definitions) == 0 {
		return nil, fmt.Errorf("%s defines no tables", template)
	}
	return definitions, nil
}

// Create makes those of the template's tables that are missing, and waits
// until all can be used. Those that are there stay as they are.
func Create(ctx context.Context, o dynamodb.Options, template string) error {
	definitions, err := Read(template, o.Prefix)
	if err != nil {
		return err
	}
	client := o.Client()
	for _, d := range definitions {
		if err := d.create(ctx, client); err != nil {
			return fmt.Errorf("table %s: %w", d.TableName, err)
		}
	}
	return nil
}

// patience is how long a table may take until it can be used.
const patience = 2 * time.Minute

func (d Definition) create(ctx context.Context, client *sdk.Client) error {
	_, err := client.CreateTable(ctx, d.input())
	var there *types.ResourceInUseException
	if err != nil && !errors.As(err, &there) {
		return err
	}
	active := sdk.NewTableExistsWaiter(client, func(o *sdk.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, time.Second
	})
	if err := active.Wait(ctx, &sdk.DescribeTableInput{TableName: d.TableName.pointer()}, patience); err != nil {
		return err
	}
	return d.enableTTL(ctx, client)
}

func (d Definition) input() *sdk.CreateTableInput {
	input := &sdk.CreateTableInput{TableName: d.TableName.pointer(), BillingMode: types.BillingMode(d.BillingMode)}
	for _, a := range d.AttributeDefinitions {
		input.AttributeDefinitions = append(input.AttributeDefinitions, types.AttributeDefinition{
			AttributeName: aws.String(a.Name), AttributeType: types.ScalarAttributeType(a.Type),
		})
	}
	input.KeySchema = keySchema(d.KeySchema)
	for _, i := range d.Indexes {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(i.Name), KeySchema: keySchema(i.KeySchema),
			Projection: &types.Projection{ProjectionType: types.ProjectionType(i.Projection.Type)},
		})
	}
	if d.Stream.View != "" {
		input.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(d.Stream.View),
		}
	}
	return input
}

func keySchema(elements []Element) (schema []types.KeySchemaElement) {
	for _, k := range elements {
		schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(k.Name), KeyType: types.KeyType(k.Type)})
	}
	return schema
}

// enableTTL turns expiry on, unless it is: DynamoDB refuses to do so twice.
func (d Definition) enableTTL(ctx context.Context, client *sdk.Client) error {
	if !d.TimeToLive.Enabled {
		return nil
	}
	now, err := client.DescribeTimeToLive(ctx, &sdk.DescribeTimeToLiveInput{TableName: d.TableName.pointer()})
	if err != nil {
		return err
	}
	switch now.TimeToLiveDescription.TimeToLiveStatus {
	case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
		return nil
	}
	_, err = client.UpdateTimeToLive(ctx, &sdk.UpdateTimeToLiveInput{
		TableName: d.TableName.pointer(),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: &d.TimeToLive.Attribute, Enabled: aws.Bool(true),
		},
	})
	return err
}

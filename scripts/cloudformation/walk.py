"""Deploys template.yaml into an emulator of CloudFormation, again with other parameters, removes
it, brings it back, and moves it, with the scripts that people use. Prints a line for each thing
that holds.

    AWS_ENDPOINT_URL=http://localhost:… GATEHOUSE_URL=… GATEHOUSE_ROOT_TOKEN=… python walk.py DIR

DIR holds the template with little code. GATEHOUSE_URL is a server that scripts/smoke likes.
"""

import os
import subprocess
import sys

import boto3
from botocore.exceptions import ClientError

template = os.path.join(sys.argv[1], "template.yaml")
cloudformation, dynamodb, functions, gateway, secrets, certificates, s3 = map(
    boto3.client, ("cloudformation", "dynamodb", "lambda", "apigatewayv2", "secretsmanager", "acm", "s3")
)
nowhere = "http://127.0.0.1:9"


def want(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, want {wanted!r}")


def script(name, *arguments, stack="gatehouse", **environment):
    """Runs a script of the repository and returns its status and what it printed."""
    environment = {**os.environ, "STACK": stack, "BUILT_TEMPLATE": template, "SMOKE_PAUSE": "0", **environment}
    done = subprocess.run([f"scripts/{name}", *arguments], env=environment, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def must(name, *arguments, **named):
    status, output = script(name, *arguments, **named)
    if status:
        sys.exit(f"scripts/{name} {' '.join(arguments)} exits with {status}:\n{output}")


def packaged():
    """Returns where the template is in a bucket, as `sam deploy` put it there the last time."""
    bucket = s3.list_buckets()["Buckets"][0]["Name"]
    newest = max(
        (o for o in s3.list_objects_v2(Bucket=bucket)["Contents"] if o["Key"].endswith(".template")),
        key=lambda o: o["LastModified"],
    )
    return f"https://s3.us-east-1.amazonaws.com/{bucket}/{newest['Key']}"


def deploy(stack, **parameters):
    """Deploys by a change set as `sam deploy` does, and returns the stack's status."""
    kind = "UPDATE" if described(stack) else "CREATE"
    given = [{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()]
    if kind == "UPDATE":
        known = {p["ParameterKey"] for p in described(stack)["Parameters"]} - set(parameters)
        given += [{"ParameterKey": k, "UsePreviousValue": True} for k in known]
    change = cloudformation.create_change_set(
        StackName=stack, ChangeSetName="walk", ChangeSetType=kind, TemplateURL=packaged(), Parameters=given
    )
    cloudformation.execute_change_set(ChangeSetName=change["Id"], StackName=stack)
    return described(stack)["StackStatus"]


def described(stack):
    try:
        return cloudformation.describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError:
        return None


def outputs(stack="gatehouse"):
    return {o["OutputKey"]: o["OutputValue"] for o in described(stack).get("Outputs", [])}


def parameters(stack="gatehouse"):
    return {p["ParameterKey"]: p["ParameterValue"] for p in described(stack)["Parameters"]}


def events(stack):
    everything = cloudformation.describe_stack_events(StackName=stack)["StackEvents"]
    return {(e["LogicalResourceId"], e["ResourceStatus"]) for e in everything}


def tables():
    return sorted(dynamodb.list_tables()["TableNames"])


def tables_of(prefix):
    return [f"{prefix}-{name}" for name in ("alerts", "applications", "client-keys", "directory", "messages", "tokens")]


def protected():
    return [dynamodb.describe_table(TableName=name)["Table"]["DeletionProtectionEnabled"] for name in tables()]


def told(name):
    """Returns what the functions are told, which has to be the same for all."""
    values = {str(f["Environment"]["Variables"][name]) for f in functions.list_functions()["Functions"]}
    want(f"different values of {name}", len(values), 1)
    return values.pop()


def physical():
    """Returns what nobody may lose: tables, key and the address."""
    arns = [dynamodb.describe_table(TableName=name)["Table"]["TableArn"] for name in tables()]
    return arns, outputs()["InstanceKeyArn"], outputs()["ApiUrl"]


def write():
    item = {"pk": {"S": "USER#1"}, "sk": {"S": "USER"}}
    dynamodb.put_item(TableName="gatehouse-directory", Item=item)


def want_data():
    key = {"pk": {"S": "USER#1"}, "sk": {"S": "USER"}}
    want("the item", "Item" in dynamodb.get_item(TableName="gatehouse-directory", Key=key), True)


def first_deployment():
    must("deploy")
    want("status", described("gatehouse")["StackStatus"], "UPDATE_COMPLETE")
    want("tables", tables(), tables_of("gatehouse"))
    want("protected", protected(), [True] * 6)
    made = len([name for name, status in events("gatehouse") if status == "CREATE_COMPLETE"])
    api = gateway.get_apis()["Items"][0]["ApiId"]
    routes = gateway.get_routes(ApiId=api)["Items"]
    with open("template.yaml", encoding="utf-8") as text:
        want("routes", len(routes), text.read().count("Type: AWS::ApiGatewayV2::Route\n"))
    stage = gateway.get_stages(ApiId=api)["Items"][0]
    want("limits of a route", stage["RouteSettings"]["ANY /oauth/token"]["ThrottlingRateLimit"], 200)
    want("a table's prefix", told("GATEHOUSE_TABLE_PREFIX"), "gatehouse")
    want("the address", told("GATEHOUSE_BASE_URL"), outputs()["BaseUrl"])
    print(f"ok a first deployment makes {made} resources, each after those that it needs, and then protects the tables")


def second_deployment():
    write()
    before = physical()
    must("deploy", "LogLevel=debug", "KeyRevision=2")
    want("log level", told("GATEHOUSE_LOG_LEVEL"), "debug")
    want("key revision", told("GATEHOUSE_KEY_REVISION"), "2")
    want("what stays", physical(), before)
    print("ok a second deployment changes what functions are told, and keeps tables, key and address")


def bad_deployment():
    want("status", deploy("gatehouse", DeletionProtection="false"), "UPDATE_COMPLETE")
    status, output = script("deploy", "LogLevel=error", GATEHOUSE_URL=nowhere)
    want("a warning of tables that are not protected", "are not protected" in output, True)
    want("status", deploy("gatehouse", DeletionProtection="true"), "UPDATE_COMPLETE")
    want("a deployment that answers wrongly", (status, "Going back" in output), (1, True))
    want("log level", (told("GATEHOUSE_LOG_LEVEL"), parameters()["LogLevel"]), ("debug", "debug"))
    want("protected", protected(), [True] * 6)
    print("ok a deployment that the smoke script refuses is taken back")


def domain():
    certificate = certificates.request_certificate(DomainName="id.example.com")["CertificateArn"]
    own = {"DomainName": "id.example.com", "CertificateArn": certificate}
    want("status", deploy("gatehouse", **own), "UPDATE_COMPLETE")
    want("the address", (outputs()["BaseUrl"], told("GATEHOUSE_BASE_URL")), ("https://id.example.com",) * 2)
    want("the mapping", len(gateway.get_api_mappings(DomainName="id.example.com")["Items"]), 1)
    want("the target", "DomainTarget" in outputs(), True)
    want("status", deploy("gatehouse", DomainName="", CertificateArn=""), "UPDATE_COMPLETE")
    want("domains", gateway.get_domain_names()["Items"], [])
    want("the address", outputs()["BaseUrl"], outputs()["ApiUrl"])
    print("ok a domain with its certificate comes and goes")


def refusals():
    before = physical(), parameters()
    for bad in ({"LogLevel": "loud"}, {"SignInFailures": "1001"}, {"DomainName": "id.example.com"}, {"BaseUrl": "http://a"}):
        want(f"status with {bad}", deploy("gatehouse", **bad), "UPDATE_ROLLBACK_COMPLETE")
    want("what stays", (physical(), parameters()), before)
    print("ok parameters that no function would start with are refused")


def removal():
    key = outputs()["InstanceKeyArn"]
    text = secrets.get_secret_value(SecretId=key)["SecretString"]
    cloudformation.delete_stack(StackName="gatehouse")
    want("functions", functions.list_functions()["Functions"], [])
    want("APIs", gateway.get_apis()["Items"], [])
    want("tables", tables(), tables_of("gatehouse"))
    want_data()
    want("status", deploy("gatehouse"), "ROLLBACK_COMPLETE")
    want_data()
    cloudformation.delete_stack(StackName="gatehouse")
    print("ok a removed stack leaves its tables and key, and a new one of the name does not touch them")
    return key, text


def adopted(key, text, stack, token):
    must("adopt", key, stack=stack, TABLE_PREFIX="gatehouse")
    want("imported", described(stack)["StackStatus"], "IMPORT_COMPLETE")
    must("deploy", stack=stack, GATEHOUSE_ROOT_TOKEN=token)
    want("status", described(stack)["StackStatus"], "UPDATE_COMPLETE")
    want("protected", protected(), [True] * 6)
    want("the key", (outputs(stack)["InstanceKeyArn"], secrets.get_secret_value(SecretId=key)["SecretString"]), (key, text))
    want("the prefix", told("GATEHOUSE_TABLE_PREFIX"), "gatehouse")
    want("tables", tables(), tables_of("gatehouse"))
    want_data()
    cloudformation.delete_stack(StackName=stack)
    want_data()
    print(f"ok scripts/adopt gives the tables and the key to the stack {stack}")


def failing_deployment():
    wrong = {"DomainName": "a.example.com", "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/none"}
    want("status", deploy("third", DeletionProtection="false", **wrong), "ROLLBACK_COMPLETE")
    want("tables", tables(), tables_of("gatehouse"))
    cloudformation.delete_stack(StackName="third")
    want("status", deploy("third", DeletionProtection="true", **wrong), "ROLLBACK_FAILED")
    left = set(tables()) - set(tables_of("gatehouse"))
    want("protected tables", (left != set(), left <= set(tables_of("third"))), (True, True))
    print("ok a first deployment that fails leaves nothing, except tables that were protected from the beginning")


first_deployment()
second_deployment()
bad_deployment()
domain()
refusals()
kept = removal()
adopted(*kept, "gatehouse", token=os.environ["GATEHOUSE_ROOT_TOKEN"])
adopted(*kept, "elsewhere", token="")
failing_deployment()

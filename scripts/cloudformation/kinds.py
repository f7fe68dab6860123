"""The kinds of resources that Moto's CloudFormation lacks, over Moto's services."""

import inspect
import json
import logging

from moto.acm.models import acm_backends
from moto.apigatewayv2.models import apigatewayv2_backends
from moto.core.common_models import CloudFormationModel
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.table import Table
from moto.secretsmanager.models import secretsmanager_backends


def call(method, **given):
    """Calls with nothing for the arguments that are not given."""
    return method(**{name: given.get(name) for name in inspect.signature(method).parameters})


def as_of_the_service(properties):
    """Writes names of properties as the service does; keys of routes stay as they are."""
    if not isinstance(properties, dict):
        return properties
    return {
        name if " " in name else name[0].lower() + name[1:]: as_of_the_service(value)
        for name, value in properties.items()
    }


class Kind(CloudFormationModel):
    """A resource of which the properties are kept, and which a subclass makes somewhere too."""

    physical_resource_id = attributes = None

    @staticmethod
    def cloudformation_name_type():
        return ""

    @classmethod
    def has_cfn_attr(cls, attr):
        return True

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
        made = cls()
        made.at = account_id, region_name
        made.attributes = {}
        made.physical_resource_id = resource_name
        made.properties = cloudformation_json["Properties"]
        made.make()
        return made

    @classmethod
    def update_from_cloudformation_json(
        cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name
    ):
        original_resource.properties = cloudformation_json["Properties"]
        original_resource.change()
        return original_resource

    def get_cfn_attribute(self, name):
        return self.attributes.get(name, f"{self.physical_resource_id}.{name}")

    def is_created(self):
        return True

    def make(self):
        pass

    def change(self):
        pass

    def delete(self, account_id, region_name):
        pass


class Gateway(Kind):
    @property
    def backend(self):
        return apigatewayv2_backends[self.at[0]][self.at[1]]


class Api(Gateway):
    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGatewayV2::Api"

    def make(self):
        p = self.properties
        api = call(self.backend.create_api, name=p["Name"], protocol_type=p["ProtocolType"], tags={})
        self.physical_resource_id = api.api_id
        self.attributes = {"ApiEndpoint": api.api_endpoint, "ApiId": api.api_id}

    def delete(self, account_id, region_name):
        self.backend.delete_api(self.physical_resource_id)


class Integration(Gateway):
    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGatewayV2::Integration"

    def make(self):
        p = self.properties
        integration = call(
            self.backend.create_integration, api_id=p["ApiId"], integration_type=p["IntegrationType"],
            integration_uri=p["IntegrationUri"], payload_format_version=p["PayloadFormatVersion"],
        )
        self.physical_resource_id = integration.id

    def delete(self, account_id, region_name):
        self.backend.delete_integration(self.properties["ApiId"], self.physical_resource_id)


class Route(Gateway):
    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGatewayV2::Route"

    def make(self):
        p = self.properties
        self.backend.get_integration(p["ApiId"], p["Target"].removeprefix("integrations/"))
        route = call(self.backend.create_route, api_id=p["ApiId"], route_key=p["RouteKey"], target=p["Target"])
        self.physical_resource_id = route.route_id

    def delete(self, account_id, region_name):
        self.backend.delete_route(self.properties["ApiId"], self.physical_resource_id)


class Stage(Gateway):
    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGatewayV2::Stage"

    def make(self):
        p = self.properties
        keys = {route.route_key for route in self.backend.get_routes(p["ApiId"])}
        if missing := set(p.get("RouteSettings", {})) - keys:
            raise ValueError(f"Unable to find Route by key {missing} within the provided RouteSettings")
        self.backend.create_stage(p["ApiId"], as_of_the_service(p))
        self.physical_resource_id = p["StageName"]

    def change(self):
        self.delete(*self.at)
        self.make()

    def delete(self, account_id, region_name):
        self.backend.delete_stage(self.properties["ApiId"], self.physical_resource_id)


class DomainName(Gateway):
    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGatewayV2::DomainName"

    def make(self):
        p = self.properties
        for configuration in p["DomainNameConfigurations"]:
            acm_backends[self.at[0]][self.at[1]].get_certificate(configuration["CertificateArn"])
        call(
            self.backend.create_domain_name, domain_name=p["DomainName"],
            domain_name_configurations=p["DomainNameConfigurations"], tags={},
        )
        self.physical_resource_id = p["DomainName"]
        self.attributes = {
            "RegionalDomainName": f"d-emulated.execute-api.{self.at[1]}.amazonaws.com", "RegionalHostedZoneId": "Z0EMULATED"
        }

    def delete(self, account_id, region_name):
        self.backend.delete_domain_name(self.physical_resource_id)


class ApiMapping(Gateway):
    @staticmethod
    def cloudformation_type():
        return "AWS::ApiGatewayV2::ApiMapping"

    def make(self):
        p = self.properties
        self.backend.get_stage(p["ApiId"], p["Stage"])
        mapping = self.backend.create_api_mapping(p["ApiId"], "", p["DomainName"], p["Stage"])
        self.physical_resource_id = mapping.api_mapping_id

    def delete(self, account_id, region_name):
        self.backend.delete_api_mapping(self.physical_resource_id, self.properties["DomainName"])


class Secret(Kind):
    @staticmethod
    def cloudformation_type():
        return "AWS::SecretsManager::Secret"

    @property
    def backend(self):
        return secretsmanager_backends[self.at[0]][self.at[1]]

    def make(self):
        p = self.properties
        wanted = p["GenerateSecretString"]
        text = call(
            self.backend.get_random_password, password_length=wanted["PasswordLength"],
            exclude_punctuation=wanted["ExcludePunctuation"], require_each_included_type=True, exclude_characters="",
        )
        text = json.loads(text)["RandomPassword"]
        secret = call(
            self.backend.create_secret, name=self.physical_resource_id, secret_string=text,
            description=p["Description"], tags=[], replica_regions=[],
        )
        self.physical_resource_id = json.loads(secret)["ARN"]

    def delete(self, account_id, region_name):
        self.backend.delete_secret(self.physical_resource_id, None, True)


def change_table(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    """Changes what is changed in place; another name makes another table."""
    properties = cloudformation_json["Properties"]
    if new_resource_name != original_resource.name:
        if cloudformation_json.get("UpdateReplacePolicy") != "Retain":
            original_resource.delete(account_id, region_name)
        return cls.create_from_cloudformation_json(new_resource_name, cloudformation_json, account_id, region_name)
    original_resource.deletion_protection_enabled = properties["DeletionProtectionEnabled"]
    return original_resource


Table.update_from_cloudformation_json = classmethod(change_table)


def adopt(kind, identifier, definition, account_id, region_name):
    """Returns an existing table or secret as a resource."""
    if kind is Table:
        if identifier["TableName"] != definition["Properties"]["TableName"]:
            raise ValueError(f"{identifier} is not the name in the template")
        return dynamodb_backends[account_id][region_name].get_table(identifier["TableName"])
    secret = Secret()
    secret.at, secret.attributes, secret.properties = (account_id, region_name), {}, definition["Properties"]
    secret.physical_resource_id = secret.backend.secrets[identifier["Id"]].arn
    return secret


own = {kind.cloudformation_type(): kind for kind in (Api, Integration, Route, Stage, DomainName, ApiMapping, Secret)}


def of(name):
    """Returns the kind of a name, which does nothing but keep properties where none is known."""
    if name not in own:
        logging.warning("not emulated: %s", name)
        own[name] = type(name.replace("::", ""), (Kind,), {"cloudformation_type": staticmethod(lambda: name)})
    return own[name]

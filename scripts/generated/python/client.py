"""Calls Gatehouse with the client that openapi-python-client makes of openapi.json."""

import os

from gatehouse_client import AuthenticatedClient
from gatehouse_client.api.alert_integrations import create_integration, test_integration
from gatehouse_client.api.alerts import list_alerts
from gatehouse_client.api.projects import create_project, list_projects
from gatehouse_client.api.users import show_self
from gatehouse_client.models import (
    Integration,
    IntegrationType,
    ListAlertsOrderBy,
    ListedAlert,
    MappingSource,
    NewIntegration,
    NewProject,
    PayloadMapping,
    Project,
    TestRequest,
    TestRequestPayload,
    User,
    Visibility,
)

client = AuthenticatedClient(
    base_url=os.environ["GATEHOUSE_URL"] + "/api/v4",
    token=os.environ["GATEHOUSE_ROOT_TOKEN"],
)

me = show_self.sync(client=client)
assert isinstance(me, User) and me.admin and me.avatar_url is None, me

draft = NewProject(name="Python Types", visibility=Visibility.INTERNAL)
project = create_project.sync(client=client, body=draft)
assert isinstance(project, Project) and project.path == "python-types", project
refused = create_project.sync_detailed(client=client, body=draft)
assert refused.status_code == 400 and refused.parsed is not None, refused

listed: list[Project] = []
page = 1
while page:
    answer = list_projects.sync_detailed(client=client, page=page, per_page=1)
    assert isinstance(answer.parsed, list), answer
    listed += answer.parsed
    page = int(answer.headers["X-Next-Page"] or 0)
assert project.id in [one.id for one in listed], listed

place = str(project.id)
integration = create_integration.sync(
    place,
    client=client,
    body=NewIntegration(
        name="Uptime",
        type_=IntegrationType.HTTP,
        active=True,
        payload_attribute_mapping=PayloadMapping(title=MappingSource(path=["check", 0, "name"], type_="STRING")),
    ),
)
assert isinstance(integration, Integration), integration
assert str(integration.authorization_key).startswith("gtin-"), integration
payload = TestRequestPayload.from_dict({"check": [{"name": "Disk full"}]})
tested = test_integration.sync(place, integration.id, client=client, body=TestRequest(payload=payload))
assert isinstance(tested, list) and len(tested) == 1, tested

alerts = list_alerts.sync(place, client=client, status="triggered", order_by=ListAlertsOrderBy.SEVERITY)
assert isinstance(alerts, list), alerts
for alert in alerts:
    assert isinstance(alert, ListedAlert), alert
assert [(alert.title, alert.status) for alert in alerts] == [("Disk full", "triggered")], alerts

print(
    "openapi-python-client: client compiled; read /user, made a project and an integration, "
    "paged through projects, listed alerts"
)

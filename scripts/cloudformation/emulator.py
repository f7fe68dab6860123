"""An emulator of CloudFormation and of what template.yaml needs of AWS, on a port of loopback:

    PYTHONPATH=scripts python -m cloudformation.emulator PORT

It is Moto with SAM's own transform in front, and with what Moto's CloudFormation lacks and a
deployment meets: the order of resources, conditions that change, checks of parameters and
rules, rollback of a first deployment, deletion policies, and import. Moto passes over kinds of
resources that it does not know. Those of this template are below; of any other kind only the
properties are kept, and the log says so.
"""

import copy
import json
import logging
import os
import re
import sys

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")

from cloudformation import kinds  # a package, as Moto takes the part behind the dot for the service
from moto import server
from moto.cloudformation import models, parsing, responses
from moto.cloudformation.exceptions import ValidationError
from samtranslator.translator.transform import transform


class NoManagedPolicies:
    """The template names none, and a list of them would come from AWS."""

    def load(self):
        return {}


parse = models.Stack.parse_template


def parse_and_transform(template, parameters=None):
    parsed = parse(template)
    if parsed.pop("Transform", None):
        # CloudFormation treats rules itself, and SAM does not know them.
        rules = parsed.pop("Rules", {})
        values = {name: str(value) for name, value in (parameters or {}).items()}
        parsed = transform(parsed, values, NoManagedPolicies())
        parsed["Rules"] = rules
    return json.loads(json.dumps(parsed))


def check_parameters(template, given):
    """Refuses values as CloudFormation does, before anything is made."""
    declared = template.get("Parameters", {})
    for name in given:
        if name not in declared:
            raise ValidationError(message=f"Parameters: [{name}] do not exist in the template")
    for name, definition in declared.items():
        value = str(given.get(name, definition.get("Default")))
        good = re.fullmatch(definition.get("AllowedPattern", r"(?s:.*)"), value)
        if "AllowedValues" in definition:
            good = good and value in map(str, definition["AllowedValues"])
        if definition["Type"] == "Number":
            good = good and re.fullmatch(r"-?\d+(\.\d+)?", value)
            good = good and float(value) >= float(definition.get("MinValue", "-inf"))
            good = good and float(value) <= float(definition.get("MaxValue", "inf"))
        if not good:
            raise ValidationError(message=f"Parameter '{name}' failed to satisfy constraint: {value!r}")


def check_rules(resources):
    """Refuses parameters that contradict each other."""

    def holds(condition):
        return parsing.parse_condition(condition, resources._parsed_resources, resources.lazy_condition_map)

    for rule in resources._template.get("Rules", {}).values():
        if holds(rule.get("RuleCondition", True)):
            for assertion in rule["Assertions"]:
                if not holds(assertion["Assert"]):
                    raise ValidationError(message=assertion["AssertDescription"])


class Resources(parsing.ResourceMap):
    """The resources of a stack, each made after those that it refers to."""

    def __init__(self, *arguments, **named):
        self.made = {}  # the definition of each, without references, in the order of their making
        self.being_made = []
        self.history = []  # of (status, logical id, kind)
        self.adopted = {}  # what identifies those that are imported
        super().__init__(*arguments, **named)

    def __getitem__(self, name):
        if name in self._parsed_resources:
            return self._parsed_resources[name]
        if name not in self._resource_json_map:
            raise KeyError(name)
        return self.make(name) if self.holds(self._resource_json_map[name]) else None

    def holds(self, definition):
        return "Condition" not in definition or self.lazy_condition_map[definition["Condition"]]

    def note(self, status, name, definition):
        self.history.append((status, name, definition["Type"]))

    def make(self, name):
        if name in self.being_made:
            raise ValidationError(message=f"Circular dependency between resources: {self.being_made}")
        self.being_made.append(name)
        definition = self._resource_json_map[name]
        after = definition.get("DependsOn", [])
        for other in [after] if isinstance(after, str) else after:
            self[other]
        resolved = parsing.clean_json(definition, self)
        if name in self.adopted:
            resource = self.adopt(name, resolved)
        else:
            resource = parsing.parse_and_create_resource(name, definition, self, self._account_id, self._region_name)
        self.being_made.remove(name)
        self._parsed_resources[name] = resource
        self.made[name] = copy.deepcopy(resolved)
        self.note("IMPORT_COMPLETE" if name in self.adopted else "CREATE_COMPLETE", name, definition)
        return resource

    def adopt(self, name, definition):
        if not definition.get("DeletionPolicy"):
            raise ValidationError(message=f"{name} needs a DeletionPolicy to be imported")
        kind = parsing.resource_class_from_type(definition["Type"])
        resource = kinds.adopt(kind, self.adopted[name], definition, self._account_id, self._region_name)
        resource.cf_resource_type, resource.logical_resource_id = definition["Type"], name
        return resource

    def change(self, name):
        definition = self._resource_json_map[name]
        resolved = parsing.clean_json(definition, self)
        if resolved == self.made[name]:
            return
        kind = parsing.resource_class_from_type(definition["Type"])
        if hasattr(kind.update_from_cloudformation_json, "__isabstractmethod__"):
            self.remove(name)
            self.make(name)
            return
        self._parsed_resources[name] = parsing.parse_and_update_resource(
            name, definition, self, self._account_id, self._region_name
        )
        self.made[name] = copy.deepcopy(resolved)
        self.note("UPDATE_COMPLETE", name, definition)

    def remove(self, name, keeping=("Retain", "RetainExceptOnCreate")):
        definition = self.made[name]
        if definition.get("DeletionPolicy") in keeping:
            self.note("DELETE_SKIPPED", name, definition)
        else:
            self._delete_resource(self._parsed_resources[name], definition)
            self.note("DELETE_COMPLETE", name, definition)
        del self.made[name]
        self._parsed_resources.pop(name)

    def update(self, template, parameters=None):
        self._template = template
        if parameters is not None:
            self.input_parameters = {name: str(value) for name, value in parameters.items()}
        check_parameters(template, self.input_parameters)
        self._parsed_resources = {k: v for k, v in self._parsed_resources.items() if "::" in k or k in self.made}
        self.resolved_parameters = {}
        self.load_mapping()
        self.load_parameters()
        self.load_conditions()
        check_rules(self)
        self._resource_json_map = template["Resources"]
        self.being_made = []
        for name, definition in template["Resources"].items():
            if name in self.made and self.holds(definition):
                self.change(name)
            else:
                self[name]
        for name in reversed(list(self.made)):
            if name not in template["Resources"] or not self.holds(template["Resources"][name]):
                self.remove(name)

    def delete(self):
        for name in reversed(list(self.made)):
            self.remove(name)

    def undo(self):
        """Removes what a first deployment made, and reports whether that was possible."""
        done = True
        for name in reversed(list(self.made)):
            try:
                self.remove(name, keeping=("Retain",))
            except Exception as reason:
                self.note("DELETE_FAILED", name, self.made[name])
                logging.warning("%s: %s", name, reason)
                done = False
        return done


def execute(backend, change_set_name, stack_name=None):
    """Executes a change set, and goes back to what was before when that fails."""
    change = backend.describe_change_set(change_set_name)
    stack = backend.stacks[change.stack_id]
    stack._add_stack_event(f"{change.change_set_type}_IN_PROGRESS")
    resources = stack.resource_map
    resources.adopted, before = change.adopted, len(resources.history)
    try:
        resources.update(change.template_dict, change.parameters)
        stack.template, stack.template_dict, stack.parameters = change.template, change.template_dict, change.parameters
        stack.description = stack.template_dict.get("Description")
        status = f"{change.change_set_type}_COMPLETE"
    except Exception as reason:
        logging.warning("%s fails: %r", stack.name, reason)
        if change.change_set_type == "UPDATE":
            resources.update(stack.template_dict, stack.parameters)
            status = "UPDATE_ROLLBACK_COMPLETE"
        else:
            status = "ROLLBACK_COMPLETE" if resources.undo() else "ROLLBACK_FAILED"
    for resource_status, name, kind in resources.history[before:]:
        event = models.Event(stack.stack_id, stack.name, name, name, kind, resource_status, None, None)
        stack.events.append(event)
    stack.output_map = stack._create_output_map()
    stack.status, change.execution_status = status, "EXECUTE_COMPLETE"
    stack._add_stack_event(status)


create_change_set = responses.CloudFormationResponse.create_change_set


def create_change_set_with_import(response):
    if len(response._get_param("TemplateBody") or "") > 51_200:
        raise ValidationError(message="templateBody has more than 51200 bytes")
    result = create_change_set(response)
    change = response.cloudformation_backend.change_sets[result.result["Id"]]
    change.adopted = {
        one["LogicalResourceId"]: one["ResourceIdentifier"] for one in response._get_param("ResourcesToImport", [])
    }
    if change.change_set_type == "IMPORT" and set(change.adopted) != set(change.template_dict["Resources"]):
        raise ValidationError(message="a new stack is made of nothing but what it imports")
    return result


def parse_change_set(change):
    change.template_dict = parse_and_transform(change.template, change.parameters)


def same_parameters(stack, others):
    return {k: str(v) for k, v in stack.parameters.items()} == {k: str(v) for k, v in others.items()}


def install():
    models.Stack.parse_template = staticmethod(parse_and_transform)
    models.Stack.has_parameters = same_parameters
    models.ResourceMap = Resources
    models.ChangeSet._parse_template = parse_change_set
    models.CloudFormationBackend.execute_change_set = execute
    responses.CloudFormationResponse.create_change_set = create_change_set_with_import
    known = parsing.resource_class_from_type
    parsing.resource_class_from_type = lambda kind: known(kind) if kind in parsing.get_model_map() else kinds.of(kind)


if __name__ == "__main__":
    logging.basicConfig(format="%(message)s")
    install()
    server.main(["-p", sys.argv[1]])

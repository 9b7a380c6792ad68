"""The variables that Services give (docs/reference/expansion.md, "Service variables")."""

from __future__ import annotations

import pytest

from expand_vars.expansion import cluster
from krm.resource import Resource

CHANCE = "both define it, and chance decides: rename one, or write the value"


def _service(name: str, spec: str) -> Resource:
    text = f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\n{spec}\n"
    return Resource(text, (0, len(text)), "a Service")


def _texts(*given: Resource) -> dict[str, str]:
    return {name: value.text for name, value in cluster.service_variables(given).items() if value.state == "known"}


def _others(*given: Resource) -> dict[str, tuple[str, str]]:
    found = cluster.service_variables(given)
    return {name: (value.state, value.reason) for name, value in found.items() if value.state != "known"}


PORTS = "ports: [{name: http, port: 80, targetPort: 8080}, {name: dns-udp, port: 53, protocol: UDP}]"
OF_WEB_API = {
    "WEB_API_SERVICE_HOST": "10.0.0.11",
    "WEB_API_SERVICE_PORT": "80",
    "WEB_API_SERVICE_PORT_HTTP": "80",
    "WEB_API_SERVICE_PORT_DNS_UDP": "53",
    "WEB_API_PORT": "tcp://10.0.0.11:80",
    "WEB_API_PORT_80_TCP": "tcp://10.0.0.11:80",
    "WEB_API_PORT_80_TCP_PROTO": "tcp",
    "WEB_API_PORT_80_TCP_PORT": "80",
    "WEB_API_PORT_80_TCP_ADDR": "10.0.0.11",
    "WEB_API_PORT_53_UDP": "udp://10.0.0.11:53",
    "WEB_API_PORT_53_UDP_PROTO": "udp",
    "WEB_API_PORT_53_UDP_PORT": "53",
    "WEB_API_PORT_53_UDP_ADDR": "10.0.0.11",
}
NEEDS_ADDRESS = {name for name, text in OF_WEB_API.items() if "10.0.0.11" in text}


def test_a_service_with_an_address_gives_them_all() -> None:
    service = _service("web-api", f"spec: {{clusterIP: 10.0.0.11, {PORTS}}}")
    found = cluster.service_variables([service])
    assert {name: value.text for name, value in found.items()} == OF_WEB_API
    assert {(value.state, value.source, value.reason) for value in found.values()} == {
        ("known", "Services", "Service `web-api`")
    }


@pytest.mark.parametrize("address", ["", "clusterIP: '',", "clusterIP: null,", "clusterIP: $(IP),", "clusterIP: 1.2,"])
def test_ports_need_no_address(address: str) -> None:
    service = _service("web-api", f"spec: {{{address} {PORTS}}}")
    assert _texts(service) == {name: text for name, text in OF_WEB_API.items() if name not in NEEDS_ADDRESS}
    unknown = "unknown", "the manifest of Service `web-api` does not say it"
    assert _others(service) == dict.fromkeys(NEEDS_ADDRESS, unknown)


def test_an_ipv6_address_has_brackets_in_urls_only() -> None:
    service = _service("a", "spec: {clusterIP: 'fd00::a:1', ports: [{port: 80}]}")
    assert _texts(service) == {
        "A_SERVICE_HOST": "fd00::a:1",
        "A_SERVICE_PORT": "80",
        "A_PORT": "tcp://[fd00::a:1]:80",
        "A_PORT_80_TCP": "tcp://[fd00::a:1]:80",
        "A_PORT_80_TCP_PROTO": "tcp",
        "A_PORT_80_TCP_PORT": "80",
        "A_PORT_80_TCP_ADDR": "fd00::a:1",
    }


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (
            "clusterIP: None",
            "Service `web-api` is headless, so it gives no variables: write its name, `web-api`, which DNS knows",
        ),
        (
            "type: ExternalName, externalName: db",
            (
                "Service `web-api` is an ExternalName, so it gives no variables: "
                "write its name, `web-api`, which DNS knows"
            ),
        ),
    ],
)
def test_a_service_without_an_address_gives_none(spec: str, reason: str) -> None:
    service = _service("web-api", f"spec: {{{spec}, {PORTS}}}")
    assert _others(service) == dict.fromkeys(OF_WEB_API, ("absent", reason))
    assert {value.finding for value in cluster.service_variables([service]).values()} == {"ServiceWithoutAddress"}


# What is said of the one port of a Service whose address is known, and what is known then; `None` is unknown.
ODD_PORTS: dict[str, dict[str, str | None]] = {
    "{port: 80, protocol: SCTP}": {"SERVICE_PORT": "80", "PORT": "sctp://10.0.0.1:80", "PORT_80_SCTP_PROTO": "sctp"},
    "{port: 80, protocol: ''}": {"PORT": "tcp://10.0.0.1:80", "PORT_80_TCP_PROTO": "tcp"},
    "{port: 80, protocol: null}": {"PORT": "tcp://10.0.0.1:80"},
    "{port: 80, protocol: $(P)}": {"SERVICE_PORT": "80", "PORT": None},
    "{port: 80, protocol: tcp}": {"SERVICE_PORT": "80", "PORT": None},
    "{port: $(P), name: http}": {"SERVICE_PORT": None, "SERVICE_PORT_HTTP": None, "PORT": None},
    "{port: '80'}": {"SERVICE_PORT": None, "PORT": None},
    "{port: 010}": {"SERVICE_PORT": None},
    "{port: 0x50}": {"SERVICE_PORT": None},
    "{port: [80]}": {"SERVICE_PORT": None},
    "{name: http}": {"SERVICE_PORT": None, "SERVICE_PORT_HTTP": None},
    "{port: 80, name: 80}": {"SERVICE_PORT": "80"},
}


@pytest.mark.parametrize("port", ODD_PORTS)
def test_what_a_port_does_not_say_is_unknown(port: str) -> None:
    found = cluster.service_variables([_service("a", f"spec: {{clusterIP: 10.0.0.1, ports: [{port}]}}")])
    for suffix, text in ODD_PORTS[port].items():
        value = found[f"A_{suffix}"]
        assert (value.state, value.text) == (("unknown", "") if text is None else ("known", text))
    assert found["A_SERVICE_HOST"].text == "10.0.0.1"


@pytest.mark.parametrize("spec", ["", "spec:", "spec: $(X)", "spec: []"])
def test_a_service_that_says_nothing_gives_nothing(spec: str) -> None:
    assert cluster.service_variables([_service("a", spec)]) == {}


@pytest.mark.parametrize("ports", ["", ", ports: null", ", ports: {port: 80}", ", ports: [80]"])
def test_a_service_without_ports_has_only_its_address(ports: str) -> None:
    assert _texts(_service("a", f"spec: {{clusterIP: 10.0.0.1{ports}}}")) == {"A_SERVICE_HOST": "10.0.0.1"}


def test_an_alias_stands_for_what_it_names() -> None:
    spec = "metadata2: {a: &ip 10.0.0.1, b: &port 80, c: &ports [{port: *port}]}\nspec: {clusterIP: *ip, ports: *ports}"
    assert _texts(_service("a", spec))["A_PORT"] == "tcp://10.0.0.1:80"


FOO = _service("foo", "spec: {ports: [{port: 80}, {port: 443, name: port}]}")
FOO_SERVICE = _service("foo-service", "spec: {clusterIP: 10.0.0.2, ports: [{port: 8080}]}")


def test_two_services_that_differ_leave_a_name_to_chance() -> None:
    found = cluster.service_variables([FOO, FOO_SERVICE])
    assert found["FOO_SERVICE_PORT"].state == "unknown"
    assert found["FOO_SERVICE_PORT"].reason == f"Services `foo` and `foo-service` {CHANCE}"
    assert found["FOO_SERVICE_PORT"].finding == "AmbiguousServiceVariable"
    assert found["FOO_SERVICE_SERVICE_PORT"].text == "8080"
    assert found["FOO_PORT_443_TCP_PROTO"].text == "tcp"


def test_a_known_and_an_unknown_value_differ() -> None:
    named = _service("foo", "spec: {ports: [{port: 80, name: service-port}]}")
    other = _service("foo-service-port", "spec: {ports: [{port: 80}]}")
    assert cluster.service_variables([named, other])["FOO_SERVICE_PORT_SERVICE_PORT"].text == "80"
    third = _service("foo-service-port", "spec: {ports: [{port: $(X)}]}")
    found = cluster.service_variables([named, third])["FOO_SERVICE_PORT_SERVICE_PORT"]
    assert (found.state, found.reason) == ("unknown", f"Services `foo` and `foo-service-port` {CHANCE}")


def test_a_service_without_an_address_takes_no_name_from_another() -> None:
    headless = _service("foo-service", "spec: {clusterIP: None, ports: [{port: 8080}]}")
    for given in ([FOO, headless], [headless, FOO]):
        found = cluster.service_variables(given)
        assert found["FOO_SERVICE_PORT"].text == "80"
        assert found["FOO_SERVICE_SERVICE_PORT"].state == "absent"


def test_a_service_called_kubernetes_replaces_that_of_the_api_server() -> None:
    service = _service("kubernetes", "spec: {clusterIP: 10.0.0.1, ports: [{port: 443, name: https}]}")
    assert _texts(service)["KUBERNETES_PORT_443_TCP"] == "tcp://10.0.0.1:443"
    assert _texts(service)["KUBERNETES_SERVICE_PORT_HTTPS"] == "443"


@pytest.mark.parametrize("spec", ["clusterIP: None", "type: ExternalName"])
def test_one_called_kubernetes_without_an_address_leaves_that_of_the_api_server(spec: str) -> None:
    service = _service("kubernetes", f"spec: {{{spec}, ports: [{{port: 443, name: https}}]}}")
    assert cluster.service_variables([service]) == {}


def test_a_name_that_the_api_server_may_define_is_known_of_no_other() -> None:
    service = _service("kubernetes-service", "spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}")
    clash = (
        "unknown",
        "Service `kubernetes-service` and that of the API server may both define it: rename yours, or write the value",
    )
    assert _others(service)["KUBERNETES_SERVICE_PORT"] == clash
    assert _texts(service)["KUBERNETES_SERVICE_SERVICE_HOST"] == "10.0.0.1"
    dashboard = _service("kubernetes-dashboard", "spec: {ports: [{port: 80}]}")
    assert _texts(dashboard)["KUBERNETES_DASHBOARD_SERVICE_PORT"] == "80"


def test_a_service_that_is_there_twice_makes_all_that_it_gives_unknown() -> None:
    """Which of the two a cluster has nobody knows, and whose value a container gets is chance beside a third."""
    for given in ([FOO, FOO], [FOO, FOO, FOO_SERVICE], [FOO_SERVICE, FOO, FOO]):
        found = cluster.service_variables(given)
        assert (found["FOO_SERVICE_PORT"].state, found["FOO_SERVICE_PORT"].finding) == (
            "unknown",
            "AmbiguousServiceVariable",
        )
        assert found["FOO_SERVICE_HOST"].reason == "Service `foo` is among the items 2 times: remove all but one"


def test_a_twin_without_an_address_takes_nothing_from_the_other() -> None:
    headless = _service("foo", "spec: {clusterIP: None, ports: [{port: 80}]}")
    for given in ([FOO, headless], [headless, FOO]):
        assert cluster.service_variables(given)["FOO_SERVICE_PORT"].state == "unknown"
    assert {value.state for value in cluster.service_variables([headless, headless]).values()} == {"absent"}

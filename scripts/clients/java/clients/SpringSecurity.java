package clients;

import static clients.World.BASE;
import static clients.World.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Signs a person in to a third-party application written with Spring Security: to a confidential
 * client that discovers the server and uses OpenID, and to a public one with PKCE. It refreshes and
 * revokes their tokens.
 */
public final class SpringSecurity {
  private static final String CALLBACK = "/login/oauth2/code/";

  private static final HttpClient http = HttpClient.newHttpClient();
  private static final ObjectMapper json = new ObjectMapper();

  /** A client as Gatehouse knows it. */
  private record Client(String name, String id, String secret) {}

  private final World.Person person;
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO); // the application's clock
  private URI application;

  private SpringSecurity(World.Person person) {
    this.person = person;
  }

  public static void main(String[] arguments) throws Exception {
    new SpringSecurity(World.read().person()).run();
    System.out.println(
        "Spring Security: confidential with OpenID, public with PKCE; each registered, authorized,"
            + " exchanged, read who it is, refreshed, revoked, saw 401");
  }

  private void run() throws Exception {
    var confidential = register("confidential", "openid profile email read_user");
    var open = register("public", "read_user");
    var properties = new TreeMap<String, Object>(Map.of("server.address", "127.0.0.1", "server.port", 0));
    properties.putAll(Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn"));
    properties.putAll(discovering(confidential));
    properties.putAll(plain(open));
    var builder =
        new SpringApplicationBuilder(Application.class)
            .properties(properties)
            .initializers((GenericApplicationContext made) -> made.registerBean(Clock.class, this::clock));
    try (var context = (ServletWebServerApplicationContext) builder.run()) {
      application = URI.create("http://127.0.0.1:" + context.getWebServer().getPort());
      follow(confidential, this::checkClaims);
      follow(open, this::checkUser);
    }
  }

  private Clock clock() {
    InstantSource source = () -> Instant.now().plus(ahead.get());
    return source.withZone(ZoneOffset.UTC);
  }

  private static Client register(String name, String scopes) throws Exception {
    var application =
        Map.of(
            "name", "spring-" + name,
            "redirect_uri", "http://127.0.0.1" + CALLBACK + name, // at any port
            "scopes", scopes,
            "confidential", !name.equals("public"));
    var request =
        HttpRequest.newBuilder(URI.create(BASE + "/api/v4/applications"))
            .header("PRIVATE-TOKEN", World.ROOT_TOKEN)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json.writeValueAsString(application)))
            .build();
    var made = json.readTree(http.send(request, BodyHandlers.ofString()).body());
    return new Client(name, made.path("application_id").asText(), made.path("secret").asText());
  }

  /** Configures the client that discovers the server. */
  private static Map<String, String> discovering(Client client) {
    var registration = "spring.security.oauth2.client.registration." + client.name();
    return Map.of(
        "spring.security.oauth2.client.provider.discovered.issuer-uri", BASE,
        registration + ".provider", "discovered",
        registration + ".client-id", client.id(),
        registration + ".client-secret", client.secret(),
        registration + ".scope", "openid,profile,email,read_user");
  }

  /** Configures the client that is told the addresses and has no secret. */
  private static Map<String, String> plain(Client client) {
    var provider = "spring.security.oauth2.client.provider.plain";
    var registration = "spring.security.oauth2.client.registration." + client.name();
    return Map.of(
        provider + ".authorization-uri", BASE + "/oauth/authorize",
        provider + ".token-uri", BASE + "/oauth/token",
        provider + ".user-info-uri", BASE + "/api/v4/user",
        provider + ".user-name-attribute", "username",
        registration + ".provider", "plain",
        registration + ".client-id", client.id(),
        registration + ".client-authentication-method", "none",
        registration + ".authorization-grant-type", "authorization_code",
        registration + ".redirect-uri", "{baseUrl}" + CALLBACK + "{registrationId}",
        registration + ".scope", "read_user");
  }

  /** What the application has to know of the person. */
  private interface Check {
    void of(JsonNode attributes);
  }

  /** Signs the person in and follows their tokens to the end. */
  private void follow(Client client, Check check) throws Exception {
    var browser = new Browser(person.username());
    var first = json.readTree(browser.walk(application.resolve("/oauth2/authorization/" + client.name())));
    check.of(first.get("attributes"));
    check("GET /user", user(first), 200);

    ahead.set(Duration.ofHours(3)); // makes the library refresh
    var second = json.readTree(browser.walk(application));
    ahead.set(Duration.ZERO);
    check("GET /user with the former token", user(first), 401);
    check("GET /user after the refresh", user(second), 200);

    var revocation = Map.of("token", token(second), "client_id", client.id(), "client_secret", client.secret());
    var revoked = http.send(Browser.post(URI.create(BASE + "/oauth/revoke"), revocation), BodyHandlers.discarding());
    check("the revocation", revoked.statusCode(), 200);
    check("GET /user after the revocation", user(second), 401);
  }

  private void checkClaims(JsonNode claims) {
    check("preferred_username", claims.path("preferred_username").asText(), person.username());
    check("email", claims.path("email").asText(), person.email());
    check("email_verified", claims.path("email_verified").asBoolean(), true);
    Set<String> groups = new TreeSet<>();
    claims.path("groups").forEach(group -> groups.add(group.asText()));
    check("groups", groups, new TreeSet<>(person.groups()));
  }

  private void checkUser(JsonNode user) {
    check("id", user.path("id").asLong(), person.id());
    check("username", user.path("username").asText(), person.username());
    check("email", user.path("email").asText(), person.email());
  }

  private static String token(JsonNode shown) {
    return shown.path("token").asText();
  }

  /** Returns the status with which the REST API answers to the token that the page shows. */
  private static int user(JsonNode shown) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(BASE + "/api/v4/user"))
            .header("Authorization", "Bearer " + token(shown))
            .build();
    return http.send(request, BodyHandlers.discarding()).statusCode();
  }
}

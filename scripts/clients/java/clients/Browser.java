package clients;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** Reads pages the way a person with a browser does, as far as forms go. */
public final class Browser {
  private static final int MAX_PAGES = 10; // bounds a walk that never arrives

  private final HttpClient http =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();
  private final Map<String, String> answers;

  public Browser(String username) {
    answers = Map.of("login", username, "password", "a walk in the park", "decision", "approve");
  }

  /**
   * Opens the address, fills in and sends the form of each page of Gatehouse, and returns what the
   * application then shows.
   */
  public String walk(URI address) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(address).build();
    for (int page = 0; page < MAX_PAGES; page++) {
      var response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException(response.uri() + " answered " + response.statusCode() + " " + response.body());
      }
      if (response.uri().getAuthority().equals(address.getAuthority())) {
        return response.body();
      }
      request = fill(response);
    }
    throw new IOException("no end after " + MAX_PAGES + " pages");
  }

  /** Makes the request that sends the first form of the page that has a field to answer. */
  private HttpRequest fill(HttpResponse<String> response) throws IOException {
    Document page = Jsoup.parse(response.body(), response.uri().toString());
    for (Element form : page.select("form")) {
      var fields = new LinkedHashMap<String, String>();
      var answered = false;
      for (Element field : form.select("input[name], button[name]")) {
        var answer = answers.get(field.attr("name"));
        var input = field.normalName().equals("input");
        if (answer != null && (input || field.attr("value").equals(answer))) {
          fields.put(field.attr("name"), answer);
          answered = true;
        } else if (input) {
          fields.put(field.attr("name"), field.attr("value"));
        }
      }
      if (answered) {
        return post(URI.create(form.absUrl("action")), fields);
      }
    }
    throw new IOException(response.uri().getPath() + " has no form to fill in");
  }

  public static HttpRequest post(URI address, Map<String, String> fields) {
    var form =
        fields.entrySet().stream()
            .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
            .collect(Collectors.joining("&"));
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(form))
        .build();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}

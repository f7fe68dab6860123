package clients;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What scripts/clients/world made for every client. */
public record World(Person person, String token, List<Listing> lists, String version) {
  public static final String BASE = System.getenv("GATEHOUSE_URL");
  public static final String ROOT_TOKEN = System.getenv("GATEHOUSE_ROOT_TOKEN");

  /** The person who signs in to the clients. */
  public record Person(
      long id, String username, String email, List<String> groups, @JsonProperty("not_in") List<String> notIn,
      Map<String, Integer> levels) {}

  /** What a list with a filter has to show. */
  public record Listing(String by, String of, Map<String, Object> filter, List<String> want, String refused) {}

  public static World read() throws IOException {
    return new ObjectMapper().readValue(new File(System.getenv("GATEHOUSE_WORLD")), World.class);
  }

  /** Ends the program unless both are the same. */
  public static void check(String what, Object got, Object want) {
    if (!got.equals(want)) {
      throw new AssertionError(what + " is " + got + ", want " + want);
    }
  }
}

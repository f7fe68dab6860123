package clients;

import static clients.World.check;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.gitlab4j.api.GitLabApi;
import org.gitlab4j.api.GitLabApiException;
import org.gitlab4j.api.models.AccessLevel;
import org.gitlab4j.api.models.Group;
import org.gitlab4j.api.models.GroupFilter;
import org.gitlab4j.api.models.Project;
import org.gitlab4j.api.models.ProjectFilter;
import org.gitlab4j.api.models.User;
import org.gitlab4j.api.models.Visibility;
import org.gitlab4j.models.Constants.GroupOrderBy;
import org.gitlab4j.models.Constants.ProjectOrderBy;
import org.gitlab4j.models.Constants.SortOrder;
import org.gitlab4j.models.Constants.TokenType;

/**
 * Asks for lists of people, groups and projects with gitlab4j, as applications do that look up who
 * somebody is and what they may do.
 */
public final class Gitlab4j {
  public static void main(String[] arguments) throws Exception {
    var world = World.read();
    try (var ada = new GitLabApi(World.BASE, TokenType.OAUTH2_ACCESS, world.token());
        var administrator = new GitLabApi(World.BASE, World.ROOT_TOKEN)) {
      var asked = 0;
      for (var list : world.lists()) {
        asked += ask(list.by().equals("ada") ? ada : administrator, list) ? 1 : 0;
      }
      check("the version", ada.getVersion().getVersion(), world.version());
      check("the person", ada.getUserApi().getCurrentUser().getId(), world.person().id());
      var byEmail = administrator.getUserApi().getUserByEmail(world.person().email());
      check("the user with the address", byEmail.getId(), world.person().id());
      var unknown = administrator.getUserApi().getOptionalUserByEmail("nobody" + world.person().email());
      check("the user with an unknown address", unknown, Optional.empty());
      for (var level : world.person().levels().entrySet()) {
        var member = ada.getProjectApi().getOptionalMember(level.getKey(), world.person().id(), true);
        var access = member.map(found -> found.getAccessLevel().toValue()).orElse(0);
        check("the level in " + level.getKey(), access, level.getValue());
      }
      System.out.println("gitlab4j: " + asked + " lists with filters, the person and their address");
    }
  }

  /** Asks for the list, if the library has all its filters, and checks what is in it. */
  private static boolean ask(GitLabApi api, World.Listing list) throws Exception {
    var what = list.of() + " with " + list.filter();
    try {
      var found = find(api, list);
      check("what refuses " + what, "", list.refused());
      if (list.filter().containsKey("order_by")) {
        check(what, found, list.want());
      } else {
        check(what, new TreeSet<>(found), new TreeSet<>(list.want()));
      }
    } catch (GitLabApiException refusal) {
      check("the answer to " + what, refusal.getHttpStatus(), list.refused().isEmpty() ? 200 : 400);
    } catch (UnsupportedOperationException lacking) {
      return false;
    }
    return true;
  }

  private static List<String> find(GitLabApi api, World.Listing list) throws Exception {
    return switch (list.of()) {
      case "users" -> users(api, list.filter()).stream().map(User::getUsername).toList();
      case "groups" -> api.getGroupApi().getGroups(groups(list.filter())).stream().map(Group::getFullPath).toList();
      default -> api.getProjectApi().getProjects(projects(list.filter())).stream().map(Project::getPathWithNamespace).toList();
    };
  }

  /** Makes the call that the library has for the filter. */
  private static List<User> users(GitLabApi api, Map<String, Object> filter) throws Exception {
    if (filter.get("username") instanceof String username) {
      return api.getUserApi().getOptionalUser(username).stream().toList();
    }
    if (!Set.of("search", "per_page").containsAll(filter.keySet())) {
      throw new UnsupportedOperationException();
    }
    return api.getUserApi().findUsers((String) filter.get("search"));
  }

  private static GroupFilter groups(Map<String, Object> filter) {
    var groups = new GroupFilter();
    filter.forEach(
        (name, value) -> {
          switch (name) {
            case "all_available" -> groups.withAllAvailable((Boolean) value);
            case "owned" -> groups.withOwned((Boolean) value);
            case "min_access_level" -> groups.withMinAccessLevel(AccessLevel.forValue((Integer) value));
            case "order_by" -> groups.withOrderBy(GroupOrderBy.forValue((String) value));
            case "search" -> groups.withSearch((String) value);
            case "sort" -> groups.withSortOder(SortOrder.forValue((String) value));
            case "top_level_only" -> groups.withTopLevelOnly((Boolean) value);
            default -> throw new UnsupportedOperationException();
          }
        });
    return groups;
  }

  private static ProjectFilter projects(Map<String, Object> filter) {
    var projects = new ProjectFilter();
    filter.forEach(
        (name, value) -> {
          switch (name) {
            case "archived" -> projects.withArchived((Boolean) value);
            case "membership" -> projects.withMembership((Boolean) value);
            case "min_access_level" -> projects.withMinAccessLevel(AccessLevel.forValue((Integer) value));
            case "order_by" -> projects.withOrderBy(ProjectOrderBy.forValue((String) value));
            case "owned" -> projects.withOwned((Boolean) value);
            case "search" -> projects.withSearch((String) value);
            case "simple" -> projects.withSimple((Boolean) value);
            case "sort" -> projects.withSortOder(SortOrder.forValue((String) value));
            case "starred" -> projects.withStarred((Boolean) value);
            case "topic" -> projects.withTopic((String) value);
            case "visibility" -> projects.withVisibility(Visibility.forValue((String) value));
            default -> throw new UnsupportedOperationException();
          }
        });
    return projects;
  }
}

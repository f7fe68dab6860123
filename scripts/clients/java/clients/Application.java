package clients;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientProviderBuilder;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.user.OAuth2User;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application that people sign in to. The framework does all but the page. */
@Configuration
@EnableAutoConfiguration
@Import(Application.Page.class)
public class Application {
  /** Refreshes a token that is expired by the clock. */
  @Bean
  OAuth2AuthorizedClientManager clients(
      ClientRegistrationRepository registrations, OAuth2AuthorizedClientRepository authorized, Clock clock) {
    var manager = new DefaultOAuth2AuthorizedClientManager(registrations, authorized);
    manager.setAuthorizedClientProvider(
        OAuth2AuthorizedClientProviderBuilder.builder()
            .authorizationCode()
            .refreshToken(refresh -> refresh.clock(clock))
            .build());
    return manager;
  }

  /** Tells the signed-in person what the application knows of them, and their access token. */
  @RestController
  static class Page {
    private final OAuth2AuthorizedClientManager clients;

    Page(OAuth2AuthorizedClientManager clients) {
      this.clients = clients;
    }

    @GetMapping("/")
    Map<String, Object> show(
        @AuthenticationPrincipal OAuth2User user,
        OAuth2AuthenticationToken session,
        HttpServletRequest request,
        HttpServletResponse response) {
      var wanted =
          OAuth2AuthorizeRequest.withClientRegistrationId(session.getAuthorizedClientRegistrationId())
              .principal(session)
              .attribute(HttpServletRequest.class.getName(), request)
              .attribute(HttpServletResponse.class.getName(), response)
              .build();
      var token = clients.authorize(wanted).getAccessToken().getTokenValue();
      return Map.of("attributes", user.getAttributes(), "token", token);
    }
  }
}

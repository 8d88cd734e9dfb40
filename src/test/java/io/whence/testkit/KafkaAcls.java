package io.whence.testkit;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;

/**
 * Creates access rules that hold at once. The controller says that a rule is there before the
 * broker goes by it, so whoever creates one waits until the broker, of which there must be one
 * alone, tells of it.
 */
public final class KafkaAcls {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private KafkaAcls() {}

  /**
   * Creates rules.
   *
   * @throws Exception if one can't be created, or isn't told of in time
   */
  public static void create(Admin admin, List<AclBinding> rules) throws Exception {
    admin.createAcls(rules).all().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    await()
        .atMost(LIMIT)
        .until(() -> admin.describeAcls(AclBindingFilter.ANY).values().get().containsAll(rules));
  }
}

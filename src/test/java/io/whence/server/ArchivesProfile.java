package io.whence.server;

import io.quarkus.test.junit.QuarkusTestProfile;
import io.whence.testkit.Directories;
import io.whence.testkit.Fixtures;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The real server with every recorded log directory as an archive, and nothing else. */
public class ArchivesProfile implements QuarkusTestProfile {
  @Override
  public Map<String, String> getConfigOverrides() {
    Path directory = Directories.temporary("whence-archives");
    Map<String, String> overrides = new HashMap<>();
    overrides.put("whence.grpc.port", "0");
    overrides.put("quarkus.http.test-port", "0");
    overrides.put("whence.data", directory.resolve("data").toString());
    overrides.put("whence.embedded.enabled", "false");
    for (String fixture : Fixtures.names()) {
      Path archive = Fixtures.unpack(fixture, directory.resolve(fixture));
      overrides.put("whence.archive." + fixture + ".dirs", archive.toString());
    }
    return overrides;
  }
}

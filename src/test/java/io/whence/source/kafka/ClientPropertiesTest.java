package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientPropertiesTest {
  @TempDir private Path directory;

  @Test
  void fileOfKafkasTools_isRead() throws IOException {
    Path file = directory.resolve("client.properties");
    Files.writeString(file, "# TLS\nsecurity.protocol=SSL\nssl.truststore.location = /a b\n");

    assertThat(ClientProperties.read(file))
        .isEqualTo(Map.of("security.protocol", "SSL", "ssl.truststore.location", "/a b"));
  }

  @Test
  void missingFile_named() {
    Path file = directory.resolve("none");
    assertThatThrownBy(() -> ClientProperties.read(file))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("none");
  }
}

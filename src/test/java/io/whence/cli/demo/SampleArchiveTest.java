package io.whence.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleArchiveTest {
  private static final Path FIXTURE = Path.of("src/test/resources/fixtures/disordered/data.tar.gz");

  @TempDir private Path directory;

  @Test
  void brokersDirectory_unpackedWithTimesOfChange() throws IOException {
    Path data = SampleArchive.unpack(FIXTURE, directory.resolve("to"));

    Path log = data.resolve("jitter-0/00000000000000000000.log");
    assertThat(data.resolve("meta.properties")).exists();
    assertThat(log).hasSize(5_191);
    assertThat(Files.getLastModifiedTime(log).toMillis()).isEqualTo(1_795_979_941_000L);
  }

  @Test
  void entryOutsideTheArchive_refused() throws IOException {
    Path evil = archive("../evil", '0');

    assertThatThrownBy(() -> SampleArchive.unpack(evil, directory.resolve("to")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("outside");
    assertThat(directory.resolve("evil")).doesNotExist();
  }

  @Test
  void link_refused() throws IOException {
    Path link = archive("link", '2');

    assertThatThrownBy(() -> SampleArchive.unpack(link, directory.resolve("to")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("neither file nor directory");
  }

  @Test
  void tornArchive_refused() throws IOException {
    byte[] whole = Files.readAllBytes(FIXTURE);
    Path torn = Files.write(directory.resolve("torn.tar.gz"), Arrays.copyOf(whole, 20_000));

    assertThatThrownBy(() -> SampleArchive.unpack(torn, directory.resolve("to")))
        .isInstanceOf(IOException.class);
  }

  private Path archive(String name, char type) throws IOException {
    byte[] blocks = new byte[1_536];
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(nameBytes, 0, blocks, 0, nameBytes.length);
    blocks[156] = (byte) type;
    Path file = directory.resolve("archive.tar.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(blocks);
    }
    return file;
  }
}

package io.whence.app.tls;

import java.nio.file.Path;

/** A file that can't be used for TLS; the message names setting, file and rule. Immutable. */
public final class TlsFault extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the fault.
   *
   * @param setting the setting that names the file
   * @param file the file
   * @param rule what is wrong with it, and what was expected
   */
  TlsFault(String setting, Path file, String rule) {
    super(setting + ": " + file + ": " + rule);
  }
}

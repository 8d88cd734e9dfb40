package io.whence.app;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import sun.misc.Signal;

/** Runs the server until it is told to stop. */
@QuarkusMain
public class Main implements QuarkusApplication {
  @Override
  public int run(String... args) {
    // An orderly stop is a success; the JVM's own handler would end with 143.
    Signal.handle(new Signal("TERM"), signal -> Quarkus.asyncExit(0));
    Signal.handle(new Signal("INT"), signal -> Quarkus.asyncExit(0));
    Quarkus.waitForExit();
    return 0;
  }
}

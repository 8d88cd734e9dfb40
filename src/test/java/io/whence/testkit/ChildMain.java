package io.whence.testkit;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs another main class and ends with the process that started it: when standard input ends, the
 * parent is gone, however it died. Uses nothing but the JDK, since it runs on foreign class paths.
 */
final class ChildMain {
  private ChildMain() {}

  /**
   * Runs a main class.
   *
   * @param args its name, then its arguments
   */
  public static void main(String[] args) throws ReflectiveOperationException {
    Thread watch = new Thread(ChildMain::haltWhenParentIsGone, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    var main = Class.forName(args[0]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      (cause == null ? e : cause).printStackTrace();
      // Other threads of the main class must not keep a failed child alive.
      System.exit(1);
    }
  }

  private static void haltWhenParentIsGone() {
    try {
      while (System.in.read() >= 0) {
        // The parent writes nothing; only the end counts.
      }
    } catch (IOException e) {
      // A broken input means the same as its end.
    }
    Runtime.getRuntime().halt(143);
  }
}

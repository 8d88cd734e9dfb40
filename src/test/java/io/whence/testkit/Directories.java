package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Whole directories made, copied and deleted. Thread safety: thread-safe. */
public final class Directories {
  private static final int MANY_FILES = 500;
  private static final int DELETING_THREADS = 16;

  private Directories() {}

  /** Makes an empty temporary directory. */
  public static Path temporary(String prefix) {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies a directory with everything in it and its modification times. */
  public static void copy(Path from, Path to) {
    walk(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(dir)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(
                file,
                to.resolve(from.relativize(file)),
                StandardCopyOption.COPY_ATTRIBUTES,
                StandardCopyOption.REPLACE_EXISTING);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Deletes a directory with everything in it, if it is there. */
  public static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> files = new ArrayList<>();
    List<Path> directories = new ArrayList<>();
    walk(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files.add(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure) {
            directories.add(dir);
            return FileVisitResult.CONTINUE;
          }
        });
    deleteFiles(files);
    directories.forEach(Directories::deleteOne);
  }

  /** Several at a time: some file systems let each deletion wait for the disk. */
  private static void deleteFiles(List<Path> files) {
    if (files.size() < MANY_FILES) {
      files.forEach(Directories::deleteOne);
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(DELETING_THREADS);
    try {
      CompletableFuture.allOf(
              files.stream()
                  .map(file -> CompletableFuture.runAsync(() -> deleteOne(file), threads))
                  .toArray(CompletableFuture[]::new))
          .join();
    } finally {
      threads.shutdown();
    }
  }

  private static void deleteOne(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void walk(Path directory, SimpleFileVisitor<Path> visitor) {
    try {
      Files.walkFileTree(directory, visitor);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

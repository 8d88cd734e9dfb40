package io.whence.cli;

import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Takes the value of an option only if it is attached, as in {@code --watch=5s}; what follows
 * {@code --watch} is an argument of its own. Immutable.
 */
final class AttachedValue implements IParameterPreprocessor {
  @Override
  @SuppressWarnings("JdkObsolete") // picocli's own type
  public boolean preprocess(
      Stack<String> args, CommandSpec command, ArgSpec argument, Map<String, Object> info) {
    boolean attached = !" ".equals(info.get("separator"));
    if (!attached && argument instanceof OptionSpec option) {
      args.push(option.fallbackValue());
    }
    return false;
  }
}

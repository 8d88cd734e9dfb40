# What the load tests share: builds when needed, and runs one main class in a scratch directory.
# Sourced by them; works from any directory.

HOME_DIR=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly HOME_DIR
readonly CLASS_PATH_GOAL=org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath
TOOL=load-tests/$(basename "$0")
readonly TOOL

die() { # CODE MESSAGE
  echo "$TOOL: $2" >&2
  exit "$1"
}

# Sets where the build is: the normal one, or the one with the profile bench, which has JMH and a
# server with a method that does nothing.
use_build() { # normal|bench
  PROFILE=() BUILD=$HOME_DIR/target SOURCES=("$HOME_DIR"/src/{main,test}/java)
  if [[ $1 == bench ]]; then
    PROFILE=(-Pbench) BUILD=$HOME_DIR/target/bench
    SOURCES+=("$HOME_DIR"/src/{bench,jmh}/java)
  fi
  SOURCES+=("$HOME_DIR/pom.xml" "$HOME_DIR/proto" "$HOME_DIR/src/main/resources")
  WORK=$BUILD/load-tests
  CLASS_PATH_FILE=$WORK/classpath
  # Touched after a build with the time at which it began, so that an edit during it counts as newer.
  STAMP=$WORK/built
  RUN_JAR=$BUILD/quarkus-app/quarkus-run.jar
}

is_older() { # FILE SOURCE...: missing, or older than a source
  local file=$1
  shift
  [[ -f $file ]] || return 0
  [[ ! -f $STAMP || $file -nt $STAMP ]] || file=$STAMP
  [[ -n $(find "$@" -newer "$file" -print | head -n 1) ]]
}

needs_build() {
  local test=$HOME_DIR/src/test/java main=() source
  for source in "${SOURCES[@]}"; do
    [[ $source == */src/test/java || $source == */src/jmh/java ]] || main+=("$source")
  done
  is_older "$RUN_JAR" "${main[@]}" || is_older "$BUILD/test-classes/io/whence/bench/Load.class" "${SOURCES[@]}"
}

maven() {
  # Reads nothing, and prints where the table isn't.
  (cd "$HOME_DIR" && mvn -q -B ${PROFILE[@]+"${PROFILE[@]}"} "$@" </dev/null >&2) ||
    die 6 "the build failed: mvn ${PROFILE[*]-} $*"
}

build() {
  type -P mvn >/dev/null || die 6 "there is no mvn on the PATH; install Maven 3.8 or newer"
  mkdir -p "$WORK"
  if needs_build; then
    echo "-- building (first time takes a few minutes)" >&2
    touch "$WORK/begun"
    maven -DskipTests package
    mv "$WORK/begun" "$STAMP"
  fi
  if [[ ! -f $CLASS_PATH_FILE || $HOME_DIR/pom.xml -nt $CLASS_PATH_FILE ]]; then
    maven "$CLASS_PATH_GOAL" "-Dmdep.outputFile=$CLASS_PATH_FILE.new" -DincludeScope=test
    mv "$CLASS_PATH_FILE.new" "$CLASS_PATH_FILE"
  fi
}

class_path() {
  printf '%s' "$BUILD/test-classes:$BUILD/classes:$(<"$CLASS_PATH_FILE")"
}

find_java() {
  JAVA=$(type -P "${JAVA_HOME:+$JAVA_HOME/bin/}java") ||
    die 6 "no Java found; install a JDK 17 or newer, or set JAVA_HOME to one"
}

# Takes --dir out of the options, which are left in OPTIONS.
take_dir() { # OPTION...
  DIR=$WORK
  OPTIONS=()
  while (($# > 0)); do
    case $1 in
      --dir=*) DIR=${1#*=} ;;
      --dir)
        (($# > 1)) || die 2 "--dir needs a value"
        shift
        DIR=$1
        ;;
      *) OPTIONS+=("$1") ;;
    esac
    shift
  done
  [[ -n $DIR ]] || die 2 "--dir needs a value"
}

SCRATCH=
CHILD=

clean_up() {
  trap '' INT TERM
  if [[ -n $CHILD ]] && kill "$CHILD" 2>/dev/null; then
    wait "$CHILD" || true
  fi
  [[ -z $SCRATCH ]] || rm -rf "$SCRATCH"
}

# Runs a main class of the build in a scratch directory below DIR, which is removed afterwards.
run_java() { # JAVA_OPTION... MAIN_CLASS OPTION...
  local code=0
  mkdir -p "$DIR"
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  SCRATCH=$(mktemp -d "$(cd "$DIR" && pwd)/run.XXXXXX")
  # In the background, so that a signal to this script is seen at once.
  "$JAVA" "-Djava.io.tmpdir=$SCRATCH" "-Dbasedir=$HOME_DIR" "-Dwhence.jar=$RUN_JAR" \
    "-Dwhence.commit=$(git -C "$HOME_DIR" describe --always --dirty 2>/dev/null || echo unknown)" \
    -Djava.util.logging.manager=org.jboss.logmanager.LogManager -cp "$(class_path)" "$@" </dev/null &
  CHILD=$!
  wait "$CHILD" || code=$?
  CHILD=
  return "$code"
}

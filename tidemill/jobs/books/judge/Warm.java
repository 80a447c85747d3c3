// Checks one book after the other with EPUBCheck, in one virtual machine that stays warm: EPUBCheck itself takes one
// book a process, and most of its time is starting.
//
// In, a line a book:  PROFILE \t PATH
// Out, lines:         M \t SEVERITY \t ID \t LINE \t COLUMN \t ENTRY \t MESSAGE     (\\, \t, \n escaped)
//                     E                                                             the book is done
// The first line out is V \t VERSION. It ends when its input ends.
//
// EPUBCheck is reached by reflection: so this is compiled without it, and runs with whichever version is installed.
import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

public final class Warm {
  private static final String API = "com.adobe.epubcheck.api.";

  private static final Map<String, String> COUNTERS = Map.of("getFatalErrorCount", "FATAL", "getErrorCount", "ERROR",
      "getWarningCount", "WARNING", "getInfoCount", "INFO", "getUsageCount", "USAGE");

  private final PrintStream out;
  private final Class<?> reportType = Class.forName(API + "Report");
  private final Class<?> profileType = Class.forName(API + "EPUBProfile");
  private final Constructor<?> newCheck =
      Class.forName(API + "EpubCheck").getConstructor(File.class, reportType, profileType);
  private final Method run = Class.forName(API + "EpubCheck").getMethod("doValidate");

  private Warm(PrintStream out) throws ReflectiveOperationException {
    this.out = out;
  }

  // A Report that prints what it is told, and leaves everything else to a quiet one of EPUBCheck's own.
  private Object report() throws ReflectiveOperationException {
    Object quiet = Class.forName(API + "QuietReport").getField("INSTANCE").get(null);
    Map<String, Integer> counts = new HashMap<>(); // by severity: some checks ask what was found so far
    return Proxy.newProxyInstance(Warm.class.getClassLoader(), new Class<?>[] {reportType}, (self, method, values) -> {
      if (COUNTERS.containsKey(method.getName())) return counts.getOrDefault(COUNTERS.get(method.getName()), 0);
      if (!method.getName().equals("message")) return method.invoke(quiet, values);
      Object message = values[0];
      if (message.getClass().getSimpleName().equals("MessageId")) {
        Object dictionary = call(quiet, "getDictionary");
        message = dictionary.getClass().getMethod("getMessage", message.getClass()).invoke(dictionary, message);
      }
      counts.merge(call(message, "getSeverity").toString().toUpperCase(Locale.ROOT), 1, Integer::sum);
      print(message, values[1], (Object[]) values[2]);
      return null;
    });
  }

  private static Object call(Object on, String method) throws ReflectiveOperationException {
    return on.getClass().getMethod(method).invoke(on);
  }

  private void print(Object message, Object place, Object[] values) throws ReflectiveOperationException {
    String severity = call(message, "getSeverity").toString();
    if (severity.equalsIgnoreCase("SUPPRESSED")) return;
    Object text = message.getClass().getMethod("getMessage", Object[].class).invoke(message, (Object) values);
    out.println("M\t" + severity + "\t" + call(message, "getID") + "\t" + call(place, "getLine") + "\t"
        + call(place, "getColumn") + "\t" + escaped(call(place, "getPath")) + "\t" + escaped(text));
  }

  private static String escaped(Object text) {
    if (text == null) return "";
    return text.toString().replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "");
  }

  private void check(String profile, String path) {
    try {
      Object chosen = profileType.getField(profile.toUpperCase(Locale.ROOT)).get(null);
      run.invoke(newCheck.newInstance(new File(path), report(), chosen));
    } catch (Throwable wrong) {
      Throwable cause = wrong instanceof InvocationTargetException ? wrong.getCause() : wrong;
      out.println("M\tFATAL\tCHK-008\t0\t0\t\t" + escaped(cause));
    }
    out.println("E");
  }

  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.ENGLISH);
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
    System.setOut(System.err); // whatever else is said does not belong between our lines
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Warm warm = new Warm(out);
    out.println("V\t" + Class.forName(API + "EpubCheck").getMethod("version").invoke(null));
    for (String line; (line = in.readLine()) != null;) {
      String[] asked = line.split("\t", 2);
      warm.check(asked[0], asked[1]);
    }
  }
}

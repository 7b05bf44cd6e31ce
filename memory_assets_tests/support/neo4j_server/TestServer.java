import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseInternalSettings;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/**
 * One Neo4j for one test run: loopback, authentication on.
 *
 * <p>Arguments: the data folder, and the port; 0 is one of the system's choice. The password comes as the first line of standard input, and the end of
 * standard input ends the server: it cannot outlive whoever started it, however that one ends.
 */
public final class TestServer {
    public static void main(String[] arguments) throws Exception {
        var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        String password = input.readLine();
        var loopback = new SocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        var service = new DatabaseManagementServiceBuilder(Path.of(arguments[0]))
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, loopback)
                // A plan is made once, as for a small graph: planning is most of what a short life costs. How plans change
                // as a graph grows is not tested here.
                .setConfig(GraphDatabaseSettings.query_statistics_divergence_threshold, 1.0)
                .setConfig(GraphDatabaseInternalSettings.cypher_size_hint_parameters, false)
                .setConfig(GraphDatabaseSettings.query_cache_size, 10_000)
                .build();
        try {
            GraphDatabaseService database = service.database("neo4j");
            if (!database.isAvailable(120_000)) {
                throw new IllegalStateException("the database did not become available");
            }
            try (Transaction system = service.database("system").beginTx()) {
                system.execute(
                        "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", password));
                system.commit();
            } catch (RuntimeException refused) {
                // The folder of a server that is started again has the password already.
                if (!String.valueOf(refused.getMessage()).contains("cannot be the same")) {
                    throw refused;
                }
            }
            var port = ((GraphDatabaseAPI) database)
                    .getDependencyResolver()
                    .resolveDependency(ConnectorPortRegister.class)
                    .getLocalAddress(ConnectorType.BOLT)
                    .getPort();
            System.out.println("listening on " + port);
            System.out.flush();
            while (input.readLine() != null) {
                // nothing to hear: only the end counts
            }
        } catch (Exception failure) {
            failure.printStackTrace();
        } finally {
            // An orderly end takes ten seconds and saves data that goes away with its folder.
            Runtime.getRuntime().halt(0);
        }
    }
}

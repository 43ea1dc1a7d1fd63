/* What it costs OpenSM to route a subnet, and the service levels it then tells: an event plugin.
 *
 * Read are the CPU time of the thread that routes, and the memory of the process, around the routing
 * phase: build_lid_matrices and ucast_build_fwd_tables of the configured engine, or OpenSM's own where an
 * engine leaves a part to it. Nothing is changed, and nothing else is counted: no packets to switches,
 * no dumps.
 *
 * In opensm.conf:
 *   event_plugin_name probe
 *   event_plugin_options FOLDER
 *
 * FOLDER then has probe.txt, a line with three numbers: CPU time in s, growth of the resident memory
 * over the routing phase in KiB, and its peak since the process began in KiB. Of an engine that gives
 * service levels, it has opensm-path-records.dump with those of every pair of host ports as well, and
 * levels.txt with those that there are.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <opensm/osm_config.h>
#include <opensm/osm_version.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_event_plugin.h>

#define HIGHEST_LEVEL 15

/* The engine that is configured as it was made, and the one that does what it leaves. */
static struct osm_routing_engine engine;
static const struct osm_routing_engine *left;

static struct {
	const char *folder;
	osm_opensm_t *osm;
	int is_wrapped, is_over;
	double cpu_s;
	long resident_before_kib, peak_before_kib;
} probe;

static FILE *opened(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", probe.folder, name);
	file = fopen(path, "w");
	if (file == NULL)
		OSM_LOG(&probe.osm->log, OSM_LOG_ERROR, "probe: %s cannot be written\n", path);
	return file;
}

static long memory_kib(const char *key)
{
	char line[256];
	long kib = -1;
	FILE *status = fopen("/proc/self/status", "r");

	while (status != NULL && fgets(line, sizeof line, status) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			kib = strtol(line + strlen(key), NULL, 10);
	if (status != NULL)
		fclose(status);
	return kib;
}

/* From here on the kernel's peak is that of the routing phase. */
static void start_over(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");

	probe.peak_before_kib = memory_kib("VmHWM:");
	if (file != NULL) {
		fputs("5", file);
		fclose(file);
	}
	probe.resident_before_kib = memory_kib("VmRSS:");
}

static double cpu_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A part of the routing phase; where the engine has none, or says by a positive result that it leaves it,
 * OpenSM's own. A failed engine is told of, too: what it took until then. */
static int measured(int (*part)(void *), void *context, int (*left_part)(void *))
{
	double began;
	int result = 1;
	long peak_kib;
	FILE *file;

	if (!probe.is_over && probe.cpu_s == 0)
		start_over();
	began = cpu_s();
	if (part != NULL)
		result = part(context);
	if (result > 0 && part != left_part)
		result = left_part(left->context);
	if (probe.is_over)
		return result;
	probe.cpu_s += cpu_s() - began;
	peak_kib = memory_kib("VmHWM:");
	file = opened("probe.txt");
	if (file != NULL) {
		fprintf(file, "%.6f %ld %ld\n", probe.cpu_s, peak_kib - probe.resident_before_kib,
			peak_kib > probe.peak_before_kib ? peak_kib : probe.peak_before_kib);
		fclose(file);
	}
	return result;
}

static int build_lid_matrices(void *context)
{
	return measured(engine.build_lid_matrices, context, left->build_lid_matrices);
}

static int build_tables(void *context)
{
	return measured(engine.ucast_build_fwd_tables, context, left->ucast_build_fwd_tables);
}

static void wrap(struct osm_routing_engine *configured, const struct osm_routing_engine *own)
{
	if (configured == NULL || own == NULL)
		return;
	engine = *configured;
	left = configured == own ? &engine : own;
	configured->build_lid_matrices = build_lid_matrices;
	configured->ucast_build_fwd_tables = build_tables;
}

static int is_host(const osm_port_t *port)
{
	return osm_node_get_type(port->p_node) == IB_NODE_TYPE_CA;
}

static void write_levels(osm_routing_engine_t *routing)
{
	cl_qmap_t *ports = &probe.osm->subn.port_guid_tbl;
	cl_map_item_t *from, *to;
	int is_used[HIGHEST_LEVEL + 1] = { 0 };
	FILE *file;

	if (routing == NULL || routing->path_sl == NULL)
		return;
	file = opened("opensm-path-records.dump");
	if (file == NULL)
		return;
	for (from = cl_qmap_head(ports); from != cl_qmap_end(ports); from = cl_qmap_next(from)) {
		const osm_port_t *source = (const osm_port_t *)from;

		if (!is_host(source))
			continue;
		fprintf(file, "Channel Adapter 0x%016" PRIx64 ", base LID %u\n",
			cl_ntoh64(osm_port_get_guid(source)), cl_ntoh16(osm_port_get_base_lid(source)));
		for (to = cl_qmap_head(ports); to != cl_qmap_end(ports); to = cl_qmap_next(to)) {
			const osm_port_t *destination = (const osm_port_t *)to;
			unsigned level;

			if (destination == source || !is_host(destination))
				continue;
			level = routing->path_sl(routing->context, 0, osm_port_get_base_lid(source),
						 osm_port_get_base_lid(destination));
			if (level > HIGHEST_LEVEL)
				continue;
			is_used[level] = 1;
			fprintf(file, "0x%04x : %u\n", cl_ntoh16(osm_port_get_base_lid(destination)), level);
		}
	}
	fclose(file);
	file = opened("levels.txt");
	if (file == NULL)
		return;
	for (int level = 0; level <= HIGHEST_LEVEL; level++)
		if (is_used[level])
			fprintf(file, "%d\n", level);
	fclose(file);
}

static void *create(osm_opensm_t *osm)
{
	probe.osm = osm;
	probe.folder = osm->subn.opt.event_plugin_options;
	return probe.folder == NULL ? NULL : &probe;
}

static void delete(void *unused)
{
	(void)unused;
}

/* Engines are made after plugins, and before the first sweep. */
static void report(void *unused, osm_epi_event_id_t event, void *data)
{
	osm_opensm_t *osm = probe.osm;

	(void)unused;
	(void)data;
	if (event == OSM_EVENT_ID_HEAVY_SWEEP_START && !probe.is_wrapped) {
		wrap(osm->routing_engine_list, osm->default_routing_engine);
		probe.is_wrapped = 1;
	} else if (event == OSM_EVENT_ID_UCAST_ROUTING_DONE && !probe.is_over) {
		probe.is_over = 1;
		write_levels(osm->routing_engine_used);
	}
}

osm_event_plugin_t osm_event_plugin = { OSM_VERSION, create, delete, report };

/*
 * A routing engine for OpenSM, which takes what `weft export opensm` writes: forwarding tables, the
 * service level of every pair of ports, and the lane of every service level by a switch's input and
 * output port.  OpenSM's own `file` engine knows the first alone.
 *
 * The tables are the file that the option lfts_file names, and are loaded by OpenSM's own reader.
 * Levels and lanes lie beside it, in a file of that name with ".lanes" added:
 *
 *     tables 1284 0x3c2f8a6e0d914b75
 *     level 0x0002c90300000003 -01
 *     level 0x0002c90300000005 0-0
 *     level 0x0002c90300000007 10-
 *     hosts 0123456701234567
 *     lanes 0x0002c90200000001 * * 0000000000000000
 *     lanes 0x0002c90200000001 1 3 1000000000000000
 *     end 7 0x91f2a4c3b0d5e687
 *
 * `tables` has the length in bytes and the hash (FNV-1a, 64 bits) of the file of tables that the lanes
 * belong to, so that files of two exports are not used together.  A line `level` is of a source port and has a hexadecimal digit per destination, in the order of
 * these lines; the digit for itself is `-`.  `hosts` has the lane of each of the 16 service levels
 * for adapters, `lanes` those of a switch (by the GUID of its node) for all its ports, or for packets
 * from one port to another; f is the lane that drops.  Lines that begin with # are passed over.  The
 * last line, `end`, has the number of lines above it and the hash of all their bytes.
 *
 * Everything is read again whenever OpenSM routes anew (kill -HUP).  A file that is damaged or cut, or
 * not of these tables, fails the engine, with the reason in OpenSM's log; nothing of it is used.
 *
 * In opensm.conf: event_plugin_name weft, routing_engine weft,no_fallback, lfts_file, qos TRUE.
 */

#define _GNU_SOURCE /* getline */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opensm/osm_config.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

enum { LEVELS = 16, ANY_PORTS = 0xffff };

/* How long something is, and its hash. */
struct sum {
	uint64_t count;
	uint64_t hash;
};

/* A source port with the service level of each destination. */
struct source {
	uint64_t guid;
	size_t place; /* among the lines, and so in the levels of all */
	size_t count;
	uint8_t *levels;
};

/* The lanes of a switch between two ports, four bits a level, level 0 lowest. */
struct row {
	uint64_t guid;
	uint16_t ports;
	uint64_t lanes;
};

/* What one file says; sources and rows are sorted. */
struct lanes {
	struct source *sources;
	size_t source_count;
	struct row *rows;
	size_t row_count;
	uint64_t hosts;
	struct sum tables; /* of the file of tables, as this file says */
	int has_hosts, has_tables, has_end;
};

struct engine {
	osm_opensm_t *osm;
	osm_routing_engine_t file; /* OpenSM's own engine for tables */
	struct lanes lanes;
	external_routing_engine_module_t module;
};

/* Exported by OpenSM for its own list of engines; no header has it. */
extern int osm_ucast_file_setup(struct osm_routing_engine *engine, osm_opensm_t *osm);

static void clear(struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->source_count; i++)
		free(lanes->sources[i].levels);
	free(lanes->sources);
	free(lanes->rows);
	memset(lanes, 0, sizeof *lanes);
}

static int by_guid(const void *one, const void *other)
{
	const struct source *a = one, *b = other;
	return (a->guid > b->guid) - (a->guid < b->guid);
}

static int by_ports(const void *one, const void *other)
{
	const struct row *a = one, *b = other;
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return (a->ports > b->ports) - (a->ports < b->ports);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a digit per level; 0 where the word is none such. */
static int read_lanes(const char *word, uint64_t *lanes)
{
	*lanes = 0;
	if (strlen(word) != LEVELS)
		return 0;
	for (int level = 0; level < LEVELS; level++) {
		int lane = digit(word[level]);
		if (lane < 0)
			return 0;
		*lanes |= (uint64_t)lane << (4 * level);
	}
	return 1;
}

/* Takes bytes into a hash, FNV-1a of 64 bits. */
static uint64_t hash_on(uint64_t hash, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static const uint64_t NOTHING_HASHED = UINT64_C(0xcbf29ce484222325);

/* Reads decimal digits and nothing else. */
static int read_number(const char *word, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (*word == '\0')
		return 0;
	for (; *word != '\0'; word++) {
		int value = digit(*word);
		if (value < 0 || value > 9 || *number > (most - (uint64_t)value) / 10)
			return 0;
		*number = *number * 10 + (uint64_t)value;
	}
	return 1;
}

/* Reads 0x and 1 to 16 hexadecimal digits. */
static int read_hexadecimal(const char *word, uint64_t *number)
{
	size_t length = strlen(word);

	*number = 0;
	if (length < 3 || length > 18 || word[0] != '0' || word[1] != 'x')
		return 0;
	for (word += 2; *word != '\0'; word++) {
		int value = digit((char)tolower((unsigned char)*word));
		if (value < 0)
			return 0;
		*number = *number << 4 | (uint64_t)value;
	}
	return 1;
}

static int read_sum(char *words[], struct sum *sum)
{
	return read_number(words[1], INT64_MAX, &sum->count) && read_hexadecimal(words[2], &sum->hash);
}

/* Reads a port, or `*` as ANY_PORTS. */
static int read_port(const char *word, uint64_t *port)
{
	*port = ANY_PORTS;
	return strcmp(word, "*") == 0 || read_number(word, 254, port);
}

/* Makes room for one more. */
static void *grow(void *array, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return array;
	return realloc(array, (count ? 2 * count : 1) * size);
}

static int add_source(struct lanes *lanes, char *words[])
{
	struct source *sources = grow(lanes->sources, lanes->source_count, sizeof *sources);
	struct source source = { .place = lanes->source_count, .count = strlen(words[2]) };

	if (sources == NULL)
		return 0;
	lanes->sources = sources;
	if (!read_hexadecimal(words[1], &source.guid))
		return 0;
	source.levels = malloc(source.count);
	if (source.levels == NULL)
		return 0;
	lanes->sources[lanes->source_count++] = source;
	for (size_t i = 0; i < source.count; i++) {
		int level = i == source.place && words[2][i] == '-' ? 0 : digit(words[2][i]);
		if (level < 0)
			return 0;
		source.levels[i] = (uint8_t)level;
	}
	return 1;
}

static int add_row(struct lanes *lanes, char *words[])
{
	struct row *rows = grow(lanes->rows, lanes->row_count, sizeof *rows);
	struct row row;
	uint64_t in, out;

	if (rows == NULL)
		return 0;
	lanes->rows = rows;
	if (!read_hexadecimal(words[1], &row.guid) || !read_port(words[2], &in) ||
	    !read_port(words[3], &out) || (in == ANY_PORTS) != (out == ANY_PORTS) ||
	    !read_lanes(words[4], &row.lanes))
		return 0;
	row.ports = in == ANY_PORTS ? ANY_PORTS : (uint16_t)(in << 8 | out);
	lanes->rows[lanes->row_count++] = row;
	return 1;
}

/* Takes a line; 0 where it is none of the kinds. */
static int read_line(struct lanes *lanes, char *line)
{
	enum { MOST_WORDS = 6 };
	char *words[MOST_WORDS], *rest = line;
	int count = 0;

	while (count < MOST_WORDS && (words[count] = strtok_r(rest, " \t\r\n", &rest)) != NULL)
		count++;
	if (count == 0 || words[0][0] == '#')
		return 1;
	if (count == 3 && strcmp(words[0], "tables") == 0)
		return !lanes->has_tables++ && read_sum(words, &lanes->tables);
	if (count == 3 && strcmp(words[0], "level") == 0)
		return add_source(lanes, words);
	if (count == 2 && strcmp(words[0], "hosts") == 0)
		return !lanes->has_hosts++ && read_lanes(words[1], &lanes->hosts);
	return count == 5 && strcmp(words[0], "lanes") == 0 && add_row(lanes, words);
}

/* Tells whether a line is `end` with the sum of all lines above it. */
static int is_end(char *line, struct sum above)
{
	char *words[4], *rest = line;
	struct sum told;
	int count = 0;

	while (count < 4 && (words[count] = strtok_r(rest, " \t\r\n", &rest)) != NULL)
		count++;
	return count == 3 && read_sum(words, &told) && told.count == above.count &&
	       told.hash == above.hash;
}

/* Takes the next line, of so many bytes; 0 where it cannot be used. */
static int take_line(struct lanes *lanes, char *line, size_t length, struct sum *above)
{
	/* A line is whole, and has no byte that would hide what is behind it. */
	if (lanes->has_end || strlen(line) != length || line[length - 1] != '\n')
		return 0;
	if (strncmp(line, "end ", 4) == 0)
		return lanes->has_end = is_end(line, *above);
	above->count++;
	above->hash = hash_on(above->hash, line, length);
	return read_line(lanes, line);
}

/* Says what a file comes to; 0 where it cannot be read. */
static int sum_of(const char *name, struct sum *sum)
{
	char bytes[1 << 14];
	size_t count;
	int is_good;
	FILE *file = fopen(name, "r");

	*sum = (struct sum){ 0, NOTHING_HASHED };
	if (file == NULL)
		return 0;
	while ((count = fread(bytes, 1, sizeof bytes, file)) > 0) {
		sum->count += count;
		sum->hash = hash_on(sum->hash, bytes, count);
	}
	is_good = !ferror(file);
	fclose(file);
	return is_good;
}

/* Sorts what was read, and says what is wrong with all of it together; NULL where nothing is. */
static const char *finish(struct lanes *lanes)
{
	if (!lanes->has_end)
		return "the last line, `end`, is missing: the file is cut off; copy it in full";
	if (!lanes->has_tables)
		return "there is no line `tables`";
	if (!lanes->has_hosts)
		return "there is no line `hosts`";
	for (size_t i = 0; i < lanes->source_count; i++)
		if (lanes->sources[i].count != lanes->source_count)
			return "a line `level` has not as many digits as there are such lines";
	if (lanes->row_count == 0)
		return "there is no line `lanes`";
	qsort(lanes->sources, lanes->source_count, sizeof *lanes->sources, by_guid);
	qsort(lanes->rows, lanes->row_count, sizeof *lanes->rows, by_ports);
	for (size_t i = 1; i < lanes->source_count; i++)
		if (by_guid(&lanes->sources[i - 1], &lanes->sources[i]) == 0)
			return "two lines `level` are of one port";
	for (size_t i = 1; i < lanes->row_count; i++)
		if (by_ports(&lanes->rows[i - 1], &lanes->rows[i]) == 0)
			return "two lines `lanes` are of the same ports of a switch";
	return NULL;
}

/* Reads the file beside the tables; 0 where it cannot be used. */
static int load(struct engine *engine, struct lanes *lanes)
{
	osm_log_t *log = &engine->osm->log;
	const char *tables = engine->osm->subn.opt.lfts_file, *trouble;
	char name[4096], *line = NULL;
	size_t room = 0, number = 0;
	struct sum above = { 0, NOTHING_HASHED }, found;
	ssize_t length;
	int is_good = 1;
	FILE *file;

	memset(lanes, 0, sizeof *lanes);
	if (tables == NULL || snprintf(name, sizeof name, "%s.lanes", tables) >= (int)sizeof name) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR WEFT: the option lfts_file names no tables\n");
		return 0;
	}
	file = fopen(name, "r");
	if (file == NULL) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR WEFT: cannot open %s: %m\n", name);
		return 0;
	}
	while (is_good && (length = getline(&line, &room, file)) >= 0) {
		number++;
		is_good = take_line(lanes, line, (size_t)length, &above);
	}
	if (!is_good)
		OSM_LOG(log, OSM_LOG_ERROR,
			"ERR WEFT: %s:%zu: expected a line `tables`, `level`, `hosts` or `lanes`, or an `end` "
			"that agrees with the lines above it; copy the file in full\n",
			name, number);
	else if (ferror(file) || (trouble = finish(lanes)) != NULL) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR WEFT: %s: %s\n", name,
			ferror(file) ? "cannot be read to its end" : trouble);
		is_good = 0;
	} else if (!sum_of(tables, &found)) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR WEFT: cannot read %s: %m\n", tables);
		is_good = 0;
	} else if (found.count != lanes->tables.count || found.hash != lanes->tables.hash) {
		OSM_LOG(log, OSM_LOG_ERROR,
			"ERR WEFT: %s and %s are not of one export, or one is damaged; copy both in full\n",
			tables, name);
		is_good = 0;
	}
	free(line);
	fclose(file);
	if (!is_good)
		clear(lanes);
	return is_good;
}

static const struct source *source_of(const struct lanes *lanes, const osm_port_t *port)
{
	struct source key = { .guid = cl_ntoh64(osm_port_get_guid(port)) };
	if (lanes->source_count == 0)
		return NULL;
	return bsearch(&key, lanes->sources, lanes->source_count, sizeof key, by_guid);
}

/* Says which ports and switches of the subnet the file does not know. */
static void tell_unknown(const struct engine *engine)
{
	osm_opensm_t *osm = engine->osm;
	const cl_qmap_t *ports = &osm->subn.port_guid_tbl;

	for (cl_map_item_t *item = cl_qmap_head(ports); item != cl_qmap_end(ports);
	     item = cl_qmap_next(item)) {
		const osm_port_t *port = (const osm_port_t *)item;
		struct row key = { .guid = cl_ntoh64(osm_node_get_node_guid(port->p_node)),
				   .ports = ANY_PORTS };
		int is_known = port->p_node->sw == NULL
			? source_of(&engine->lanes, port) != NULL
			: bsearch(&key, engine->lanes.rows, engine->lanes.row_count, sizeof key,
				  by_ports) != NULL;
		if (!is_known)
			OSM_LOG(&osm->log, OSM_LOG_ERROR,
				"ERR WEFT: port 0x%016" PRIx64 " (%s) is not in the file of lanes: it has "
				"service level 0 and the lanes of qos_sl2vl; discover and export again\n",
				cl_ntoh64(osm_port_get_guid(port)), port->p_node->print_desc);
	}
}

static int build_lid_matrices(void *context)
{
	struct engine *engine = context;
	return engine->file.build_lid_matrices(engine->file.context);
}

/* OpenSM holds its lock for writing here, and at least for reading wherever lanes are looked up. */
static int build_tables(void *context)
{
	struct engine *engine = context;
	struct lanes lanes;

	if (!load(engine, &lanes))
		return -1;
	/* A positive answer would let OpenSM make tables of its own. */
	if (engine->file.ucast_build_fwd_tables(engine->file.context) != 0) {
		clear(&lanes);
		return -1;
	}
	clear(&engine->lanes);
	engine->lanes = lanes;
	OSM_LOG(&engine->osm->log, OSM_LOG_INFO, "weft: service levels of %zu ports, %zu rows of lanes\n",
		lanes.source_count, lanes.row_count);
	tell_unknown(engine);
	return 0;
}

static uint8_t path_sl(void *context, uint8_t hint, const ib_net16_t source_lid,
		       const ib_net16_t destination_lid)
{
	const struct engine *engine = context;
	const osm_port_t *ports[] = {
		osm_get_port_by_lid(&engine->osm->subn, source_lid),
		osm_get_port_by_lid(&engine->osm->subn, destination_lid),
	};
	const struct source *source, *destination;

	(void)hint; /* The level of a partition or a policy leads to other lanes than were proved. */
	if (ports[0] == NULL || ports[1] == NULL)
		return 0;
	source = source_of(&engine->lanes, ports[0]);
	destination = source_of(&engine->lanes, ports[1]);
	if (source == NULL || destination == NULL)
		return 0;
	return source->levels[destination->place];
}

static void update_sl2vl(void *context, osm_physp_t *port, uint8_t in, uint8_t out,
			 ib_slvl_table_t *table)
{
	const struct engine *engine = context;
	const osm_node_t *node = osm_physp_get_node_ptr(port);
	uint64_t lanes = engine->lanes.hosts;

	if (node->sw != NULL) {
		struct row key = { .guid = cl_ntoh64(osm_node_get_node_guid(node)),
				   .ports = (uint16_t)(in << 8 | out) };
		const struct row *row = bsearch(&key, engine->lanes.rows, engine->lanes.row_count,
						sizeof key, by_ports);
		if (row == NULL) {
			key.ports = ANY_PORTS;
			row = bsearch(&key, engine->lanes.rows, engine->lanes.row_count, sizeof key,
				      by_ports);
		}
		if (row == NULL)
			return;
		lanes = row->lanes;
	}
	for (uint8_t level = 0; level < LEVELS; level++)
		ib_slvl_table_set(table, level, (lanes >> (4 * level)) & 0xf);
}

static void destroy(void *context)
{
	struct engine *engine = context;
	clear(&engine->lanes);
}

static int setup(struct osm_routing_engine *routing, struct osm_opensm *osm)
{
	struct engine *engine = routing->context;

	if (osm_ucast_file_setup(&engine->file, osm) != 0)
		return -1;
	routing->build_lid_matrices = build_lid_matrices;
	routing->ucast_build_fwd_tables = build_tables;
	routing->path_sl = path_sl;
	routing->update_sl2vl = update_sl2vl;
	routing->destroy = destroy;
	return 0;
}

static void *create(struct osm_opensm *osm)
{
	struct engine *engine = calloc(1, sizeof *engine);

	if (engine == NULL)
		return NULL;
	engine->osm = osm;
	engine->module.name = "weft";
	engine->module.setup = setup;
	engine->module.context = engine;
	if (osm_register_external_routing_engine(osm, &engine->module, engine) != CL_SUCCESS) {
		free(engine);
		return NULL;
	}
	return engine;
}

/* Called when OpenSM ends, before its engines are destroyed, which need what is held. */
static void delete(void *engine)
{
	(void)engine;
}

static void report(void *engine, osm_epi_event_id_t event, void *data)
{
	(void)engine;
	(void)event;
	(void)data;
}

osm_event_plugin_t osm_event_plugin = { OSM_VERSION, create, delete, report };

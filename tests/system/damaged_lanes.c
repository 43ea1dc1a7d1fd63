/*
 * The plugin's reader of lanes under sanitizers, without an OpenSM around it: reads contents of a file
 * of lanes from its input, each after its length, puts them beside the tables it is told of, one after
 * the other, and prints 1 for each that the plugin would use and 0 for each it refuses.
 */

#include "weft.c"

#include <stdarg.h>

int osm_ucast_file_setup(struct osm_routing_engine *engine, osm_opensm_t *osm)
{
	(void)engine;
	(void)osm;
	return -1;
}

cl_status_t osm_register_external_routing_engine(osm_opensm_t *osm,
						 const external_routing_engine_module_t *module,
						 void *context)
{
	(void)osm;
	(void)module;
	(void)context;
	return CL_SUCCESS;
}

osm_port_t *osm_get_port_by_lid_ho(const osm_subn_t *subnet, uint16_t lid)
{
	(void)subnet;
	(void)lid;
	return NULL;
}

/* What is logged is put together, so that the sanitizers see it. */
void osm_log(osm_log_t *log, osm_log_level_t level, const char *format, ...)
{
	char text[8192];
	va_list rest;

	(void)log;
	(void)level;
	va_start(rest, format);
	vsnprintf(text, sizeof text, format, rest);
	va_end(rest);
}

/* Looks up what is not there and what is, as OpenSM does when it sets switches. */
static void look_up(const struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->source_count; i++)
		for (size_t j = 0; j < lanes->source_count; j++)
			if (lanes->sources[i].levels[lanes->sources[j].place] >= LEVELS)
				abort();
	for (size_t i = 0; i < lanes->row_count; i++) {
		struct row key = lanes->rows[i];
		if (bsearch(&key, lanes->rows, lanes->row_count, sizeof key, by_ports) == NULL)
			abort();
	}
}

int main(int count, char *arguments[])
{
	static osm_opensm_t osm;
	static struct engine engine;
	char name[4096], length[32], *content;
	FILE *file;

	if (count != 2)
		return 2;
	osm.log.level = 0xff;
	osm.subn.opt.lfts_file = arguments[1];
	engine.osm = &osm;
	snprintf(name, sizeof name, "%s.lanes", arguments[1]);
	while (fgets(length, sizeof length, stdin) != NULL) {
		size_t bytes = strtoull(length, NULL, 10);
		struct lanes lanes;

		content = malloc(bytes + 1);
		file = fopen(name, "w");
		if (content == NULL || file == NULL || fread(content, 1, bytes, stdin) != bytes ||
		    fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0)
			return 3;
		free(content);
		if (load(&engine, &lanes)) {
			look_up(&lanes);
			clear(&lanes);
			putchar('1');
		} else
			putchar('0');
	}
	return 0;
}

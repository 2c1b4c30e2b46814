/* Decodes all tiles of a TIFF file with libtiff into one image in memory, and prints a line of JSON
 * with what it took.
 *
 *     tiffread FILE THREADS REPS
 *     tiffread                      the version of libtiff
 *
 * Threads have handles of their own and take the next tile when they are done with one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <tiffio.h>

#define MOST 64 /* threads, repetitions */
#define STEP 4097 /* of the bytes that are summed up */

struct image {
	const char *path;
	uint32_t width, height, tile_width, tile_height, tiles;
	size_t pixel; /* bytes */
	uint8_t *data;
	atomic_uint next; /* tile that nobody has begun */
};

static void fail(const char *what, const char *path) {
	fprintf(stderr, "tiffread: %s: %s\n", path, what);
	exit(1);
}

static TIFF *open_file(const char *path) {
	TIFF *t = TIFFOpen(path, "r");
	uint16_t compression = 0, photometric = 0;
	if (!t)
		fail("cannot be opened", path);
	TIFFGetField(t, TIFFTAG_COMPRESSION, &compression);
	TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &photometric);
	if (compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR)
		TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
	return t;
}

static void *decode(void *arg) {
	struct image *m = arg;
	TIFF *t = open_file(m->path);
	tmsize_t size = TIFFTileSize(t);
	uint8_t *tile = malloc(size);
	uint32_t columns = (m->width + m->tile_width - 1) / m->tile_width;
	for (uint32_t i; (i = atomic_fetch_add(&m->next, 1)) < m->tiles;) {
		if (TIFFReadEncodedTile(t, i, tile, size) != size)
			fail("a tile cannot be decoded", m->path);
		uint32_t top = i / columns * m->tile_height, left = i % columns * m->tile_width;
		uint32_t rows = m->height - top < m->tile_height ? m->height - top : m->tile_height;
		uint32_t across = m->width - left < m->tile_width ? m->width - left : m->tile_width;
		for (uint32_t y = 0; y < rows; y++)
			memcpy(m->data + ((size_t)(top + y) * m->width + left) * m->pixel, tile + (size_t)y * m->tile_width * m->pixel,
				across * m->pixel);
	}
	free(tile);
	TIFFClose(t);
	return NULL;
}

static size_t read_image(struct image *m, int threads) {
	TIFF *t = open_file(m->path);
	uint16_t bits = 0, samples = 0;
	if (!TIFFIsTiled(t))
		fail("has no tiles", m->path);
	TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &m->width);
	TIFFGetField(t, TIFFTAG_IMAGELENGTH, &m->height);
	TIFFGetField(t, TIFFTAG_TILEWIDTH, &m->tile_width);
	TIFFGetField(t, TIFFTAG_TILELENGTH, &m->tile_height);
	TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &bits);
	TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &samples);
	m->tiles = TIFFNumberOfTiles(t);
	TIFFClose(t);
	m->pixel = bits / 8 * samples;
	size_t size = m->pixel * m->width * m->height;
	m->data = malloc(size);
	atomic_store(&m->next, 0);
	pthread_t ids[MOST];
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, decode, m);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return size;
}

static double seconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void print_list(const char *name, const double *values, int n) {
	printf("\"%s\":[", name);
	for (int i = 0; i < n; i++)
		printf("%s%.6f", i ? "," : "", values[i]);
	printf("],");
}

int main(int argc, char **argv) {
	if (argc == 1) {
		printf("%s\n", TIFFGetVersion());
		return 0;
	}
	struct image m = {.path = argc == 4 ? argv[1] : NULL};
	int threads = argc == 4 ? atoi(argv[2]) : 0, reps = argc == 4 ? atoi(argv[3]) : 0;
	if (threads < 1 || threads > MOST || reps < 1 || reps > MOST) {
		fprintf(stderr, "usage: tiffread FILE THREADS REPS\n");
		return 2;
	}
	double wall[MOST], cpu[MOST];
	uint64_t sum = 0;
	size_t size = 0;
	struct rusage used;
	for (int r = 0; r < reps; r++) {
		double start = seconds(CLOCK_MONOTONIC), before = seconds(CLOCK_PROCESS_CPUTIME_ID);
		size = read_image(&m, threads);
		wall[r] = seconds(CLOCK_MONOTONIC) - start;
		cpu[r] = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
		if (r == 0) {
			getrusage(RUSAGE_SELF, &used);
			for (size_t i = 0; i < size; i += STEP)
				sum += (i / STEP + 1) * m.data[i];
		}
		free(m.data);
	}
	printf("{");
	print_list("s", wall, reps);
	print_list("cpu", cpu, reps);
	printf("\"bytes\":%zu,\"rss\":%ld,\"sum\":%llu}\n", size, used.ru_maxrss * 1024L, (unsigned long long)sum);
	return 0;
}

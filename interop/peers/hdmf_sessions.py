"""The NWB sessions that pynwb writes, in either layout: the same for both but for object ids."""
import datetime

import numcodecs
import numpy as np
import zarr
from hdmf.common import DynamicTable, VectorData
from hdmf.data_utils import DataChunkIterator
from hdmf_zarr import ZarrDataIO
from pynwb import NWBFile, TimeSeries
from pynwb.base import Images
from pynwb.behavior import Position, SpatialSeries
from pynwb.core import DynamicTableRegion
from pynwb.ecephys import LFP, ElectricalSeries
from pynwb.file import Subject
from pynwb.image import GrayscaleImage, ImageSeries

if zarr.__version__.startswith("3"):
    from zarr.codecs import GzipCodec

START = datetime.datetime(2026, 11, 15, 9, 30, 1, 250000, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
CHANNELS = 6
if zarr.__version__.startswith("3"):
    LAYOUT = {"shards": (40, 4), "compressors": GzipCodec(level=3)}
else:
    LAYOUT = {"compressor": numcodecs.Zlib(3), "filters": [numcodecs.Delta("<u2")]}


def empty(name):
    return NWBFile(f"the session {name}, für Tests", name, START, timestamps_reference_time=START + datetime.timedelta(minutes=1),
                   keywords=["one", "zwei", "数据"], experimenter=["Doe, J."], notes="line\nbreak")


def recording(nwb, rng, samples=50, name="recording"):
    """Devices, electrodes and a series of them."""
    probe = nwb.create_device("probe", description="of silicon")
    shanks = [nwb.create_electrode_group(f"shank{i}", "some electrodes", "CA1", probe) for i in range(2)]
    nwb.add_electrode_column("label", "ä name")
    nwb.add_electrode_column("good", "is it")
    for i in range(CHANNELS):
        nwb.add_electrode(group=shanks[i % 2], location="CA1", label=f"ch {i}", good=i != 3, x=float(i), y=0.5 * i, z=float("nan"))
    region = nwb.create_electrode_table_region(list(range(CHANNELS)), "all of them")
    data = rng.integers(-2000, 2000, (samples, CHANNELS)).astype(np.int16)
    series = ElectricalSeries(name, data, region, rate=30000.0, starting_time=1.25, conversion=1e-6, filtering="none",
                              channel_conversion=np.linspace(0.5, 1.5, CHANNELS))
    nwb.add_acquisition(series)
    return series, shanks


def session(name, seed):
    """One with everything that readers of sessions meet."""
    rng = np.random.default_rng(seed)
    nwb = empty(name)
    nwb.subject = Subject(subject_id="m1", species="Mus musculus", sex="F", age="P90D", date_of_birth=START - datetime.timedelta(days=90))
    series, shanks = recording(nwb, rng)
    trace = TimeSeries(name="trace", data=rng.standard_normal((40, 2)).astype(np.float32), unit="V", timestamps=np.sort(rng.random(40)),
                       resolution=float("nan"), comments="a comment")
    same = TimeSeries(name="same-times", data=np.arange(40, dtype=np.uint64) << 40, unit="a.u.", timestamps=trace, continuity="step")
    also = TimeSeries(name="same-data", data=trace, unit="V", rate=10.0)
    for t in (trace, same, also):
        nwb.add_acquisition(t)
    nwb.add_stimulus(TimeSeries(name="flags", data=rng.integers(0, 2, 30).astype(bool), unit="n/a", rate=1.0))
    nwb.add_acquisition(ImageSeries(name="movie", external_file=["a.mp4", "b.mp4"], starting_frame=[0, 10], format="external", timestamps=np.arange(15) / 25, unit="n/a"))
    nwb.add_acquisition(Images(name="pictures", images=[GrayscaleImage(name="one", data=rng.integers(0, 256, (5, 4), np.uint8))]))
    chunked = rng.integers(0, 4096, (33, 5)).astype(np.uint16)
    nwb.add_acquisition(TimeSeries(name="chunked", data=ZarrDataIO(chunked, chunks=(10, 2), **LAYOUT), unit="a.u.", rate=7.0))
    piece_by_piece = DataChunkIterator(data=iter(rng.integers(-9, 9, (31, 2)).astype(np.int16)), buffer_size=8, maxshape=(None, 2), dtype=np.dtype("int16"))
    nwb.add_acquisition(TimeSeries(name="piece-by-piece", data=piece_by_piece, unit="a.u.", rate=7.0))
    behaviour = nwb.create_processing_module("behaviour", "what it did")
    behaviour.add(Position(spatial_series=SpatialSeries(name="nose", data=rng.random((25, 2)), reference_frame="corner", rate=5.0)))
    ecephys = nwb.create_processing_module("ecephys", "filtered")
    some = DynamicTableRegion(name="electrodes", data=[4, 1], description="two of them", table=nwb.electrodes)
    ecephys.add(LFP(electrical_series=ElectricalSeries("lfp", rng.standard_normal((20, 2)), some, timestamps=np.arange(20) / 1000)))
    units(nwb, rng, shanks)
    for i in range(4):
        nwb.add_trial(start_time=float(i), stop_time=i + 0.5, tags=["even"] if i % 2 == 0 else ["odd", "läst"], timeseries=[trace, series][: 1 + i % 2])
    nwb.add_epoch(0.0, 2.0, ["start"], timeseries=[trace])
    nwb.add_invalid_time_interval(start_time=1.5, stop_time=1.75, timeseries=[trace])
    nwb.add_scratch(rng.random((3, 2)), name="numbers", description="not of any schema")
    nwb.add_scratch("some text", name="text", description="nor is this")
    table = DynamicTable(name="table", description="of all kinds", columns=[
        VectorData(name="bytes", description="uint8", data=np.arange(5, dtype=np.uint8)),
        VectorData(name="flags", description="bool", data=np.array([True, False, True, True, False])),
        VectorData(name="words", description="text", data=["", "a", "grün", "数据", "longer than the others"]),
        VectorData(name="wide", description="of two axes", data=np.arange(15, dtype=np.int32).reshape(5, 3)),
    ])
    nwb.add_scratch(table)
    return nwb


def units(nwb, rng, shanks):
    nwb.add_unit_column("quality", "how sure")
    nwb.add_unit_column("spikes_note", "lists of text", index=True)
    for i, n in enumerate((3, 0, 5, 1, 8)):
        nwb.add_unit(spike_times=np.sort(rng.random(n)), quality="good" if i % 2 else "mäßig", electrodes=[i % CHANNELS, (i + 2) % CHANNELS],
                     electrode_group=shanks[i % 2], waveform_mean=rng.random((4, 2)), spikes_note=["x"] * (i % 3), obs_intervals=[[0.0, 1.0], [2.0, 3.0 + i]],
                     waveforms=[[rng.random(4).tolist(), rng.random(4).tolist()] for _ in range(n or 1)])


def source():
    """What others link to."""
    nwb = empty("source")
    rng = np.random.default_rng(5)
    recording(nwb, rng)
    nwb.add_acquisition(TimeSeries(name="first", data=rng.random((30, 3)), unit="V", rate=100.0))
    nwb.add_acquisition(TimeSeries(name="second", data=np.arange(20, dtype=np.int8), unit="V", timestamps=np.arange(20) / 7))
    return nwb


def linked(other):
    """One that takes data, times and a whole series of another file, which is open."""
    nwb = empty("linked")
    first, second = other.acquisition["first"], other.acquisition["second"]
    nwb.add_acquisition(TimeSeries(name="own", data=first.data, unit="V", rate=100.0))
    nwb.add_acquisition(TimeSeries(name="timed", data=np.arange(20.0), unit="V", timestamps=second))
    nwb.add_acquisition(second)
    return nwb


def linked_references(other):
    """One with a series of another file that refers to that file's electrodes."""
    nwb = empty("linked-references")
    nwb.add_acquisition(other.acquisition["recording"])
    return nwb

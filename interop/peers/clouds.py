"""What zarr-python has in buckets, by way of obstore.

    clouds.py write|read SCHEME BUCKET ENDPOINT

writes arrays, or reads those that lie there and prints what they hold as JSON. SCHEME is
s3, gs or azblob; credentials are in the environment, as the tests of the stores have them.
"""
import json
import os
import sys
import urllib.parse
import urllib.request

import numpy as np
import zarr
from zarr.storage import MemoryStore, ObjectStore

KINDS = {
    "v3": dict(zarr_format=3, chunks=(4, 5)),
    "v3-shards": dict(zarr_format=3, chunks=(2, 5), shards=(4, 10)),
    "v2": dict(zarr_format=2, chunks=(4, 5)),
}


def store(scheme, bucket, endpoint, prefix):
    from obstore.store import AzureStore, GCSStore, S3Store
    plain = {"allow_http": True}
    if scheme == "s3":
        return S3Store(bucket, prefix=prefix, endpoint=endpoint, region="us-east-1", access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
                       secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"], virtual_hosted_style_request=False, client_options=plain)
    if scheme == "gs":
        # How its library names a server that is not Google's.
        key = {"gcs_base_url": endpoint, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
        return GCSStore(bucket, prefix=prefix, service_account_key=json.dumps(key), client_options=plain)
    return AzureStore(bucket, prefix=prefix, account_name=os.environ["AZURE_STORAGE_ACCOUNT"], account_key=os.environ["AZURE_STORAGE_KEY"],
                      endpoint=endpoint, client_options=plain)


def upload(bucket, endpoint, prefix, values):
    """Puts values as gcsfs does: fake-gcs-server does not take obstore's way."""
    for key, value in values.items():
        name = urllib.parse.quote(f"{prefix}/{key}", safe="")
        request = urllib.request.Request(f"{endpoint}/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}", value.to_bytes(), {"Content-Type": "application/octet-stream"})
        urllib.request.urlopen(request).close()


def main():
    what, scheme, bucket, endpoint = sys.argv[1:]
    data = (np.arange(90).reshape(9, 10) * 7 % 251).astype("uint16")
    found = {}
    for name, kind in KINDS.items():
        if what == "write":
            values = {}
            at = MemoryStore(values) if scheme == "gs" else ObjectStore(store(scheme, bucket, endpoint, "theirs/" + name))
            a = zarr.create_array(at, shape=data.shape, dtype="uint16", fill_value=0, attributes={"name": name}, **kind)
            a[...] = data
            upload(bucket, endpoint, "theirs/" + name, values)
        else:
            a = zarr.open_array(ObjectStore(store(scheme, bucket, endpoint, "ours/" + name), read_only=True), mode="r")
            found[name] = {"values": a[...].tolist(), "attributes": dict(a.attrs), "format": a.metadata.zarr_format}
    print(json.dumps(found))


main()
sys.stdout.flush()
os._exit(0)  # obstore's threads may still wait for the interpreter, which then aborts as it ends

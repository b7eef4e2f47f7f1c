"""What S3's documentation says of calls that are right in each part: relations, limits, names, conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.hints.ways_s3 import DELETED, KEY, OTHER, SECRET, VERSIONED
from likewise.cloud.fuzz.hints.ways_s3_buckets import BUCKET, KMS, LATER, LOCKED, PUBLIC, RULE

ELSEWHERE = Name("bucket", 1)
SOURCE = {"CopySource": Text((ELSEWHERE, "/", KEY))}
EARLIER = "2020-01-01T00:00:00Z"
MADE = Ref(-1, ("PutObject", "ETag"))
STRANGE = '"0123456789abcdef0123456789abcdef"'
PARTS = [{"ETag": Ref(-1, ("UploadPart", "ETag")), "PartNumber": number} for number in (1, 2)]
MARKER = {"VersionId": Ref(-1, ("DeleteObject", "VersionId"))}
NULL = {"VersionId": "null"}
TAGS = "&".join(f"t{number}=v" for number in range(11))
ODD_KEY = {"Key": Text((KEY, " ü&+/%<'\">"))}
_READS = ("GetObject", "HeadObject")


def _statement(**rest: Any) -> dict[str, Any]:
    """A policy with one statement, of which some parts are others than usual, or none."""
    whole = {"Effect": '"Allow"', "Principal": '"*"', "Action": '"s3:GetObject"', "Resource": "", **rest}
    words = ",".join(f'"{name}":{value}' for name, value in whole.items() if value)
    where = () if "Resource" in rest else (',"Resource":"arn:aws:s3:::', BUCKET, '/*"')
    return {"Policy": Text((f'{{"Version":"2012-10-17","Statement":[{{{words}', *where, "}]}"))}


def _rules(*those: Mapping[str, Any]) -> dict[str, Any]:
    rules = [{**RULE, "Filter": {"Prefix": ""}, **each} for each in those]
    kept = [{name: value for name, value in each.items() if value is not None} for each in rules]
    return {"LifecycleConfiguration": {"Rules": kept}}


def _transition(days: int, kind: str) -> dict[str, Any]:
    return {"Transitions": [{"Days": days, "StorageClass": kind}]}


READING: dict[str, Mapping[str, Any]] = {
    "null": NULL,
    "old": {"IfMatch": MADE, "IfUnmodifiedSince": EARLIER},
    "kept": {"IfNoneMatch": MADE, "IfModifiedSince": EARLIER},
    "young": {"IfNoneMatch": STRANGE, "IfModifiedSince": LATER},
    "start": {"Range": "bytes=0-"},
    "past": {"Range": "bytes=0-1000"},
    "last": {"Range": "bytes=-1000"},
    "backwards": {"Range": "bytes=5-2"},
    "several": {"Range": "bytes=0-1,3-4"},
    "nil": {"Range": "bytes=-0"},
    "units": {"Range": "items=0-3"},
    "parted": {"Range": "bytes=0-3", "PartNumber": 1},
    "gone": MARKER,
    "closed": {"Key": KEY},
}
"""How an object is read, as a whole or in part."""

WAYS: dict[str, Mapping[str, Any]] = {
    "CreateBucket:other": {"Bucket": ELSEWHERE},
    "CreateBucket:home": {"CreateBucketConfiguration": {"LocationConstraint": "us-east-1"}},
    "CreateBucket:alias": {"Bucket": Text((BUCKET, "-s3alias"))},
    "CreateBucket:puny": {"Bucket": Text(("xn--", BUCKET))},
    "CreateBucket:lined": {"Bucket": Text((BUCKET, ".-x"))},
    "PutObject:empty": {"Body": b""},
    "PutObject:slash": {"Key": Text((KEY, "/")), "Body": b""},
    "PutObject:rooted": {"Key": Text(("/", KEY))},
    "PutObject:double": {"Key": Text((KEY, "//x"))},
    "PutObject:up": {"Key": Text((KEY, "/../x"))},
    "PutObject:dot": {"Key": Text((KEY, "/./x"))},
    "PutObject:odd": ODD_KEY,
    "PutObject:digest": {"ContentMD5": "AAAAAAAAAAAAAAAAAAAAAA=="},
    "PutObject:sums": {"ChecksumSHA256": "A" * 43 + "="},
    "PutObject:crc": {"ChecksumCRC32": "AAAAAA=="},
    "PutObject:two": {**PUBLIC, "GrantRead": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'},
    "PutObject:unlocked": {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": LATER},
    "PutObject:half": {"ObjectLockMode": "GOVERNANCE"},
    "PutObject:until": {"ObjectLockRetainUntilDate": LATER},
    "PutObject:past": {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": EARLIER},
    "PutObject:keyed": {"ServerSideEncryption": "AES256", "SSEKMSKeyId": KMS},
    "PutObject:cipher": {**SECRET, "SSECustomerAlgorithm": "AES128"},
    "PutObject:keyless": {"SSECustomerAlgorithm": "AES256"},
    "PutObject:short": {**SECRET, "SSECustomerKey": "0" * 16},
    "PutObject:tags": {"Tagging": TAGS},
    "PutObject:same": {"Tagging": "a=1&a=2"},
    "PutObject:theirs": {"Tagging": "aws:a=1"},
    "PutObject:word": {"Tagging": f"{'k' * 129}=v"},
    "PutObject:words": {"Tagging": f"k={'v' * 257}"},
    "PutObject:bare": {"Tagging": "colour"},
    "PutObject:written": {"Tagging": "a%20b=c%2Fd+e&empty="},
    "PutObject:much": {"Metadata": {"big": "x" * 2100}},
    "PutObject:cased": {"Metadata": {"CamelCase": "Value With Spaces", "under_score": "1"}},
    "PutObject:away": {"WebsiteRedirectLocation": "elsewhere"},
    "PutObject:stale": {"IfMatch": STRANGE},
    "PutObject:nothing": {"IfMatch": STRANGE},
    "PutObject:once": {"IfNoneMatch": "*"},
    "PutObject:plain": {"Body": b"another body"},
    **{f"{name}:{way}": given for name in _READS for way, given in READING.items()},
    "GetObject:said": {
        "ResponseCacheControl": "no-store",
        "ResponseContentDisposition": 'attachment; filename="x"',
        "ResponseContentEncoding": "identity",
        "ResponseContentLanguage": "de",
        "ResponseContentType": "text/html",
        "ResponseExpires": LATER,
    },
    "GetObjectTagging:none": {"Key": KEY},
    "GetObjectTagging:gone": {"Key": KEY},
    "GetObjectAcl:gone": {"Key": KEY},
    "PutObjectTagging:gone": {"Key": KEY},
    "PutObjectTagging:theirs": {"Tagging": {"TagSet": [{"Key": "aws:a", "Value": "1"}]}},
    "PutObjectTagging:marks": {"Tagging": {"TagSet": [{"Key": "a<b>|", "Value": "1;2"}]}},
    "PutBucketTagging:theirs": {"Tagging": {"TagSet": [{"Key": "aws:a", "Value": "1"}]}},
    "CopyObject:elsewhere": SOURCE,
    "CopyObject:nowhere": {"CopySource": Text((BUCKET, "/", OTHER))},
    "CopyObject:unknown": {"CopySource": Text((Name("bucket", 9), "/", KEY))},
    "CopyObject:slash": {"CopySource": Text(("/", BUCKET, "/", KEY))},
    "CopyObject:keyless": {"CopySource": BUCKET},
    "CopyObject:ignored": {"Metadata": {"size": "big"}, "ContentType": "text/html"},
    "CopyObject:untagged": {"Tagging": "size=big"},
    "CopyObject:bare": {"TaggingDirective": "REPLACE"},
    "CopyObject:marker": {"Bucket": BUCKET},
    "CopyObject:colder": {"Key": KEY, "StorageClass": "STANDARD_IA"},
    "CopyObject:sealed": {"Key": KEY, "ServerSideEncryption": "AES256"},
    "CopyObject:over": {"Key": OTHER},
    "CopyObject:neither": {"CopySourceIfMatch": STRANGE, "CopySourceIfUnmodifiedSince": LATER},
    "CopyObject:both": {"CopySourceIfMatch": MADE, "CopySourceIfUnmodifiedSince": EARLIER},
    "UploadPartCopy:elsewhere": SOURCE,
    "UploadPartCopy:nowhere": {"CopySource": Text((BUCKET, "/", OTHER))},
    "UploadPartCopy:backwards": {"CopySourceRange": "bytes=5-2"},
    "DeleteObject:undo": MARKER,
    "DeleteObject:null": NULL,
    "DeleteObject:suspended": {"Key": KEY},
    "DeleteObjects:undo": {"Delete": {"Objects": [{"Key": KEY, **MARKER}]}},
    "DeleteObjects:twice": {"Delete": {"Objects": [{"Key": KEY}, {"Key": KEY}]}},
    "DeleteObjects:unknown": {
        "Delete": {"Objects": [{"Key": key, "VersionId": "0" * 32} for key in (OTHER, KEY)]}
    },
    "DeleteObjects:crowd": {"Delete": {"Objects": [{"Key": f"k{number}"} for number in range(1001)]}},
    "ListObjectsV2:encoded": {"EncodingType": "url"},
    "ListObjects:encoded": {"EncodingType": "url"},
    "ListObjectVersions:encoded": {"EncodingType": "url"},
    "ListObjectsV2:inner": {"Delimiter": "/", "Prefix": Text((KEY, "/"))},
    "ListObjectsV2:folders": {"Delimiter": "/", "MaxKeys": 1},
    "ListObjects:folders": {"Delimiter": "/", "MaxKeys": 1},
    "ListObjectsV2:other": {"Delimiter": "i"},
    "ListObjectsV2:lost": {"ContinuationToken": "not-a-token"},
    "ListObjectsV2:last": {"StartAfter": "zzz"},
    "ListObjectVersions:versions": {"Bucket": BUCKET},
    "ListObjectVersions:page": {"MaxKeys": 1},
    "ListObjectVersions:from": {"KeyMarker": KEY, "VersionIdMarker": Ref(-1, ("PutObject", "VersionId"))},
    "ListObjectVersions:alone": {"VersionIdMarker": "0" * 32},
    "ListObjectVersions:null": {"Bucket": BUCKET},
    "ListMultipartUploads:prefix": {"Prefix": "nowhere"},
    "ListMultipartUploads:alone": {"UploadIdMarker": "0" * 32},
    "ListParts:after": {"PartNumberMarker": 1},
    "CompleteMultipartUpload:order": {"MultipartUpload": {"Parts": PARTS[::-1]}},
    "CompleteMultipartUpload:small": {"MultipartUpload": {"Parts": PARTS}},
    "CompleteMultipartUpload:other": {"MultipartUpload": {"Parts": [{**PARTS[0], "ETag": STRANGE}]}},
    "CompleteMultipartUpload:once": {"IfNoneMatch": "*"},
    "CompleteMultipartUpload:over": {"Bucket": BUCKET},
    "CreateMultipartUpload:locked": {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": LATER},
    "PutBucketPolicy:words": {"Policy": "not json"},
    "PutBucketPolicy:none": {"Policy": "{}"},
    "PutBucketPolicy:nobody": _statement(Principal=""),
    "PutBucketPolicy:action": _statement(Action='"s3:NoSuchAction"'),
    "PutBucketPolicy:foreign": _statement(Resource='"arn:aws:s3:::somebody-elses/*"'),
    "PutBucketPolicy:effect": _statement(Effect='"Perhaps"'),
    "GetBucketPolicyStatus:private": {"Bucket": BUCKET},
    "PutBucketLifecycleConfiguration:zero": _rules({"Expiration": {"Days": 0}}),
    "PutBucketLifecycleConfiguration:noon": _rules({"Expiration": {"Date": "2031-01-01T12:00:00Z"}}),
    "PutBucketLifecycleConfiguration:both": _rules({"Expiration": {"Days": 1, "Date": LATER}}),
    "PutBucketLifecycleConfiguration:same": _rules(
        {"Expiration": {"Days": 1}}, {"Expiration": {"Days": 2}, "Filter": {"Prefix": "x"}}
    ),
    "PutBucketLifecycleConfiguration:idle": _rules({}),
    "PutBucketLifecycleConfiguration:soon": _rules(_transition(1, "STANDARD_IA")),
    "PutBucketLifecycleConfiguration:late": _rules(
        {**_transition(60, "GLACIER"), "Expiration": {"Days": 30}}
    ),
    "PutBucketLifecycleConfiguration:twofold": _rules({"Prefix": "x", "Expiration": {"Days": 1}}),
    "PutBucketLifecycleConfiguration:nameless": _rules({"ID": None, "Expiration": {"Days": 1}}),
    "PutBucketLifecycleConfiguration:unfiltered": _rules({"Filter": None, "Expiration": {"Days": 1}}),
    "PutBucketCors:stars": {
        "CORSConfiguration": {"CORSRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["http://*.*"]}]}
    },
    "PutBucketWebsite:slash": {"WebsiteConfiguration": {"IndexDocument": {"Suffix": "a/index.html"}}},
    "PutBucketWebsite:both": {
        "WebsiteConfiguration": {
            "IndexDocument": {"Suffix": "index.html"},
            "RedirectAllRequestsTo": {"HostName": "example.com"},
        }
    },
    "PutBucketEncryption:keyed": {
        "ServerSideEncryptionConfiguration": {
            "Rules": [
                {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256", "KMSMasterKeyID": KMS}}
            ]
        }
    },
    "PutBucketLogging:nowhere": {
        "BucketLoggingStatus": {
            "LoggingEnabled": {"TargetBucket": "no-such-bucket-of-ours", "TargetPrefix": ""}
        }
    },
    "PutBucketAcl:two": {**PUBLIC, "GrantRead": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'},
    "PutBucketVersioning:again": {"VersioningConfiguration": {"Status": "Enabled"}},
    "PutBucketReplication:off": {"Bucket": BUCKET},
    "PutObjectLockConfiguration:both": {
        "ObjectLockConfiguration": {
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1, "Years": 1}},
        }
    },
    "PutObjectLockConfiguration:half": {
        "ObjectLockConfiguration": {
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE"}},
        }
    },
    "PutObjectRetention:past": {"Retention": {"Mode": "GOVERNANCE", "RetainUntilDate": EARLIER}},
    "PutObjectRetention:half": {"Retention": {"Mode": "GOVERNANCE"}},
    "PutObjectRetention:none": {"Retention": {}},
    "PutObjectRetention:weaker": {"Retention": {"Mode": "GOVERNANCE", "RetainUntilDate": LATER}},
    "RestoreObject:again": {"RestoreRequest": {"Days": 2, "GlacierJobParameters": {"Tier": "Standard"}}},
    "RestoreObject:warm": {"Key": KEY},
    "RestoreObject:zero": {"RestoreRequest": {"Days": 0, "GlacierJobParameters": {"Tier": "Standard"}}},
    "SelectObjectContent:where": {"Expression": "SELECT s._1 FROM s3object s WHERE s._1 = 'hello' LIMIT 1"},
    "SelectObjectContent:wrong": {"Expression": "SELEC * FROM s3object"},
}

_PARTS = ("CreateMultipartUpload", "UploadPart", "UploadPart:later")
_FAR = ("CreateBucket:here", "CreateBucket:other", "PutObject:far")
_ODD = ("PutObject:odd",)
_FOLDERS = ("PutObject:folder", "PutObject:outer")

WAYS |= {"PutObject:far": {"Bucket": ELSEWHERE}, "PutObject:outer": {"Key": OTHER}}

NEEDS: dict[str, tuple[str, ...]] = {
    "PutObject:half": (LOCKED,),
    "PutObject:until": (LOCKED,),
    "PutObject:past": (LOCKED,),
    "PutObject:stale": ("PutObject",),
    "PutObject:once": ("PutObject",),
    "PutObject:plain": ("PutObject:full",),
    "PutObject:far": ("CreateBucket:other",),
    "PutObject:outer": ("CreateBucket",),
    **{f"{name}:gone": DELETED for name in _READS},
    **{f"{name}:closed": ("PutObject:secret",) for name in _READS},
    "GetObjectTagging:none": ("PutObject",),
    "GetObjectTagging:gone": DELETED,
    "GetObjectAcl:gone": DELETED,
    "PutObjectTagging:gone": DELETED,
    "CopyObject:elsewhere": _FAR,
    "UploadPartCopy:elsewhere": (*_FAR, "CreateMultipartUpload"),
    "CopyObject:ignored": ("PutObject:full",),
    "CopyObject:untagged": ("PutObject:full",),
    "CopyObject:bare": ("PutObject:full",),
    "CopyObject:marker": DELETED,
    "CopyObject:over": ("PutObject", "PutObject:outer"),
    "DeleteObject:undo": DELETED,
    "DeleteObject:suspended": ("PutBucketVersioning", "PutObject", "PutBucketVersioning:off"),
    "DeleteObjects:undo": DELETED,
    "ListObjectsV2:encoded": _ODD,
    "ListObjects:encoded": _ODD,
    "ListObjectVersions:encoded": _ODD,
    "ListObjectsV2:inner": _FOLDERS,
    "ListObjectsV2:folders": _FOLDERS,
    "ListObjects:folders": _FOLDERS,
    "ListObjectsV2:other": _FOLDERS,
    "ListObjectVersions:versions": (*VERSIONED, "PutObject:version"),
    "ListObjectVersions:page": (*VERSIONED, "DeleteObject"),
    "ListObjectVersions:from": (*VERSIONED, "DeleteObject"),
    "ListObjectVersions:null": ("PutObject", "PutBucketVersioning"),
    "ListParts:after": _PARTS,
    "CompleteMultipartUpload:order": _PARTS,
    "CompleteMultipartUpload:small": _PARTS,
    "CompleteMultipartUpload:once": ("PutObject", "CreateMultipartUpload", "UploadPart"),
    "CompleteMultipartUpload:over": ("PutObject:full", "CreateMultipartUpload", "UploadPart"),
    "CreateMultipartUpload:locked": (LOCKED,),
    "GetBucketPolicyStatus:private": ("PutBucketPolicy:denied",),
    "PutBucketVersioning:again": ("PutBucketVersioning:off",),
    "PutBucketReplication:off": ("PutBucketVersioning:off",),
    "PutObjectLockConfiguration:both": (LOCKED,),
    "PutObjectLockConfiguration:half": (LOCKED,),
    "PutObjectRetention:past": (LOCKED,),
    "PutObjectRetention:half": (LOCKED,),
    "PutObjectRetention:none": (LOCKED, "PutObjectRetention"),
    "PutObjectRetention:weaker": (LOCKED, "PutObject:compliance"),
    "RestoreObject:again": ("PutObject:glacier", "RestoreObject"),
    "RestoreObject:warm": ("PutObject",),
}

CLOSED = (
    "HeadBucket",
    "GetObjectAcl",
    "GetObjectAttributes",
    "ListMultipartUploads",
    "GetBucketLocation",
    "GetBucketAcl",
    "GetBucketTagging",
    "GetBucketVersioning",
    "GetBucketPolicy",
    "CopyObject",
    "PutObjectTagging",
    "PutBucketTagging",
    "DeleteBucket",
)
"""Operations that a policy may forbid, besides those that have one of their own."""
WAYS |= {f"{name}:closed": {} for name in CLOSED}
WAYS |= {
    "HeadObject:forbidden": {},
    "PutBucketPolicy:closed": {
        "Policy": Text(
            (
                '{"Version":"2012-10-17","Statement":[{"Sid":"one","Effect":"Deny","Principal":"*",'
                '"Action":"s3:*","Resource":["arn:aws:s3:::',
                BUCKET,
                '","arn:aws:s3:::',
                BUCKET,
                '/*"]}]}',
            )
        )
    },
    "PutObject:inner": {"Key": Text((OTHER, "/inner"))},
    **{
        f"{name}:several": {"Delimiter": "/"}
        for name in ("ListObjects", "ListObjectsV2", "ListObjectVersions", "ListMultipartUploads")
    },
    "CreateMultipartUpload:folder": {"Key": Text((KEY, "/inner"))},
    "CreateMultipartUpload:inner": {"Key": Text((OTHER, "/inner"))},
}
_FORBIDDEN = ("PutObject:before", "PutBucketPolicy:closed")
NEEDS |= {f"{name}:closed": _FORBIDDEN for name in CLOSED}
NEEDS |= {
    "HeadObject:forbidden": _FORBIDDEN,
    "DeleteBucket:closed": ("PutBucketPolicy:closed",),
    **{
        f"{name}:several": ("PutObject:folder", "PutObject:inner")
        for name in ("ListObjects", "ListObjectsV2", "ListObjectVersions")
    },
    "ListMultipartUploads:several": ("CreateMultipartUpload:folder", "CreateMultipartUpload:inner"),
}

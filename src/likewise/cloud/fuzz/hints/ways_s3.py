"""How else S3 is called: versions, locks, ranges, directives, folders, grants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text

BUCKET, KEY, OTHER = Name("bucket"), Name("key"), Name("key", 1)
OWNER = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a"
LATER = "2031-01-01T00:00:00Z"
VERSION: dict[str, Any] = {"VersionId": Ref(-1, ("PutObject", "VersionId"))}
FOLDER = Text((KEY, "/inner"))
PART = {"ETag": Ref(-1, ("UploadPart", "ETag")), "PartNumber": 1}
SECRET: dict[str, Any] = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": "0" * 32}
KMS = f"arn:aws:kms:us-east-1:123456789012:key/{'0' * 8}-0000-0000-0000-{'0' * 12}"
GRANTS: dict[str, Any] = {
    "ACL": None,
    "AccessControlPolicy": {
        "Owner": {"ID": OWNER},
        "Grants": [
            {"Grantee": {"Type": "CanonicalUser", "ID": OWNER}, "Permission": "FULL_CONTROL"},
            {
                "Grantee": {"Type": "Group", "URI": "http://acs.amazonaws.com/groups/global/AllUsers"},
                "Permission": "READ",
            },
        ],
    },
}
RULE = {"ID": "two", "Status": "Enabled"}


def _rule(**rest: Any) -> dict[str, Any]:
    return {"LifecycleConfiguration": {"Rules": [{**RULE, **rest}]}}


WAYS: dict[str, Mapping[str, Any]] = {
    "CreateBucket:elsewhere": {"CreateBucketConfiguration": {"LocationConstraint": "eu-west-1"}},
    "GetBucketLocation:elsewhere": {"Bucket": BUCKET},
    "PutObject:folder": {"Key": FOLDER},
    "PutObject:version": {"Body": b"another body"},
    "PutObject:lock": {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": LATER},
    "PutObject:hold": {"ObjectLockLegalHoldStatus": "ON"},
    "PutObject:secret": SECRET,
    "PutObject:kms": {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": KMS},
    "PutObject:full": {
        "Metadata": {"colour": "blue", "size": "big"},
        "ContentType": "text/plain",
        "Tagging": "colour=blue&size=big",
        "StorageClass": "STANDARD_IA",
    },
    "GetObject:full": {"Bucket": BUCKET},
    "HeadObject:full": {"Bucket": BUCKET},
    "GetObject:version": VERSION,
    "HeadObject:version": VERSION,
    "GetObjectTagging:version": VERSION,
    "GetObjectAcl:version": VERSION,
    "GetObjectAttributes:version": VERSION,
    "PutObjectTagging:version": VERSION,
    "DeleteObjectTagging:version": VERSION,
    "DeleteObject:version": VERSION,
    "DeleteObject:marker": {"Key": KEY},
    "GetObject:marker": {"Key": KEY},
    "GetObject:end": {"Range": "bytes=-3"},
    "GetObject:rest": {"Range": "bytes=5-"},
    "GetObject:beyond": {"Range": "bytes=1000-2000"},
    "HeadObject:range": {"Range": "bytes=0-3"},
    "HeadObject:beyond": {"Range": "bytes=1000-2000"},
    "GetObject:secret": SECRET,
    "GetObject:part": {"PartNumber": 2},
    "GetObjectAttributes:all": {
        "ObjectAttributes": ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
    },
    "CopyObject:metadata": {"MetadataDirective": "REPLACE", "Metadata": {"size": "big"}},
    "CopyObject:tagging": {"TaggingDirective": "REPLACE", "Tagging": "size=big"},
    "CopyObject:full": {"Bucket": BUCKET},
    "CopyObject:version": {
        "CopySource": Text((BUCKET, "/", KEY, "?versionId=", Ref(-1, ("PutObject", "VersionId"))))
    },
    "CopyObject:itself": {"Key": KEY, "MetadataDirective": "REPLACE"},
    "DeleteObjects:two": {"Delete": {"Objects": [{"Key": OTHER}, {"Key": KEY}]}},
    "DeleteObjects:version": {"Delete": {"Objects": [{"Key": KEY, **VERSION}]}},
    "DeleteObjects:quiet": {"Delete": {"Objects": [{"Key": OTHER}, {"Key": KEY}], "Quiet": True}},
    "UploadPartCopy:range": {"CopySourceRange": "bytes=0-3"},
    "UploadPartCopy:beyond": {"CopySourceRange": "bytes=1000-2000"},
    "UploadPart:later": {"PartNumber": 2, "Body": b"another part"},
    "CompleteMultipartUpload:wrong": {"MultipartUpload": {"Parts": [{**PART, "PartNumber": 2}]}},
    "CompleteMultipartUpload:twice": {"MultipartUpload": {"Parts": [PART, PART]}},
    "CreateMultipartUpload:full": {"Metadata": {"size": "big"}, "ContentType": "text/plain"},
    "ListObjects:folder": {"Delimiter": "/"},
    "ListObjectsV2:folder": {"Delimiter": "/"},
    "ListObjectVersions:folder": {"Delimiter": "/"},
    "ListObjects:nothing": {"Prefix": "nowhere"},
    "ListObjectsV2:nothing": {"Prefix": "nowhere"},
    "ListObjectsV2:after": {"StartAfter": KEY},
    "ListObjects:after": {"Marker": KEY},
    "ListObjectVersions:marker": {"Bucket": BUCKET},
    "PutObjectRetention:compliance": {"Retention": {"Mode": "COMPLIANCE", "RetainUntilDate": LATER}},
    "PutObjectRetention:less": {
        "Retention": {"Mode": "GOVERNANCE", "RetainUntilDate": "2030-01-01T00:00:00Z"}
    },
    "PutObjectLegalHold:off": {"LegalHold": {"Status": "OFF"}},
    "DeleteObject:retained": VERSION,
    "DeleteObject:held": VERSION,
    "PutBucketAcl:grants": GRANTS,
    "PutObjectAcl:grants": GRANTS,
    "PutBucketAcl:public": {"ACL": "public-read"},
    "PutObjectAcl:public": {"ACL": "public-read"},
    "PutBucketVersioning:off": {"VersioningConfiguration": {"Status": "Suspended"}},
    "PutBucketWebsite:redirect": {
        "WebsiteConfiguration": {"RedirectAllRequestsTo": {"HostName": "example.com"}}
    },
    "PutBucketWebsite:full": {
        "WebsiteConfiguration": {
            "IndexDocument": {"Suffix": "index.html"},
            "ErrorDocument": {"Key": "error.html"},
            "RoutingRules": [
                {
                    "Condition": {"KeyPrefixEquals": "old/", "HttpErrorCodeReturnedEquals": "404"},
                    "Redirect": {"HostName": "example.com", "ReplaceKeyPrefixWith": "new/"},
                }
            ],
        }
    },
    "GetBucketWebsite:full": {"Bucket": BUCKET},
    "PutBucketCors:full": {
        "CORSConfiguration": {
            "CORSRules": [
                {
                    "ID": "one",
                    "AllowedHeaders": ["Authorization", "x-amz-*"],
                    "AllowedMethods": ["PUT", "GET"],
                    "AllowedOrigins": ["https://example.com", "https://example.org"],
                    "ExposeHeaders": ["ETag", "x-amz-version-id"],
                    "MaxAgeSeconds": 3000,
                },
                {"AllowedMethods": ["DELETE"], "AllowedOrigins": ["*"]},
            ]
        }
    },
    "GetBucketCors:full": {"Bucket": BUCKET},
    "PutBucketLifecycleConfiguration:move": _rule(
        Filter={"Prefix": "logs/"},
        Transitions=[{"Days": 30, "StorageClass": "STANDARD_IA"}, {"Days": 90, "StorageClass": "GLACIER"}],
    ),
    "PutBucketLifecycleConfiguration:old": _rule(
        Filter={"Prefix": ""},
        NoncurrentVersionExpiration={"NoncurrentDays": 30},
        NoncurrentVersionTransitions=[{"NoncurrentDays": 10, "StorageClass": "GLACIER"}],
        AbortIncompleteMultipartUpload={"DaysAfterInitiation": 7},
    ),
    "PutBucketLifecycleConfiguration:tagged": _rule(
        Filter={"And": {"Prefix": "logs/", "Tags": [{"Key": "colour", "Value": "blue"}]}},
        Expiration={"Date": "2031-01-01T00:00:00Z"},
    ),
    "GetBucketLifecycleConfiguration:move": {"Bucket": BUCKET},
    "GetBucketLifecycleConfiguration:old": {"Bucket": BUCKET},
    "PutBucketTagging:two": {
        "Tagging": {"TagSet": [{"Key": "size", "Value": "big"}, {"Key": "colour", "Value": "red"}]}
    },
    "GetBucketTagging:two": {"Bucket": BUCKET},
    "PutObjectTagging:two": {
        "Tagging": {"TagSet": [{"Key": "size", "Value": "big"}, {"Key": "colour", "Value": "red"}]}
    },
    "GetObjectTagging:two": {"Key": KEY},
    "PutBucketEncryption:kms": {
        "ServerSideEncryptionConfiguration": {
            "Rules": [
                {
                    "ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KMS},
                    "BucketKeyEnabled": True,
                }
            ]
        }
    },
    "GetBucketEncryption:kms": {"Bucket": BUCKET},
    "PutBucketPolicy:denied": {
        "Policy": Text(
            (
                '{"Version":"2012-10-17","Statement":[{"Sid":"one","Effect":"Deny","Principal":"*",'
                '"Action":["s3:DeleteObject"],"Resource":"arn:aws:s3:::',
                BUCKET,
                '/*"}]}',
            )
        )
    },
    "PutBucketNotificationConfiguration:queue": {
        "NotificationConfiguration": {
            "QueueConfigurations": [
                {
                    "Id": "one",
                    "QueueArn": "arn:aws:sqs:us-east-1:123456789012:likewise",
                    "Events": ["s3:ObjectCreated:*"],
                    "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": "logs/"}]}},
                }
            ]
        }
    },
    "GetBucketNotificationConfiguration:queue": {"Bucket": BUCKET},
    "PutPublicAccessBlock:less": {"PublicAccessBlockConfiguration": {"BlockPublicAcls": True}},
    "PutObjectLockConfiguration:years": {
        "ObjectLockConfiguration": {
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Years": 1}},
        }
    },
}

_VERSIONED = ("PutBucketVersioning", "PutObject")
_DELETED = (*_VERSIONED, "DeleteObject")
_LOCKED = "CreateBucket:lock"

NEEDS: dict[str, tuple[str, ...]] = {
    "GetBucketLocation:elsewhere": ("CreateBucket:elsewhere",),
    "PutObject:version": _VERSIONED,
    "PutObject:lock": (_LOCKED,),
    "PutObject:hold": (_LOCKED,),
    "GetObject:full": ("PutObject:full",),
    "HeadObject:full": ("PutObject:full",),
    "CopyObject:full": ("PutObject:full",),
    "CopyObject:metadata": ("PutObject:full",),
    "CopyObject:tagging": ("PutObject:full",),
    "GetObject:version": _VERSIONED,
    "HeadObject:version": _VERSIONED,
    "GetObjectTagging:version": (*_VERSIONED, "PutObjectTagging"),
    "GetObjectAcl:version": _VERSIONED,
    "GetObjectAttributes:version": _VERSIONED,
    "PutObjectTagging:version": _VERSIONED,
    "DeleteObjectTagging:version": (*_VERSIONED, "PutObjectTagging"),
    "DeleteObject:version": _VERSIONED,
    "DeleteObject:marker": _VERSIONED,
    "GetObject:marker": _DELETED,
    "GetObject:secret": ("PutObject:secret",),
    "CopyObject:version": _VERSIONED,
    "DeleteObjects:version": _VERSIONED,
    "ListObjects:folder": ("PutObject:folder",),
    "ListObjectsV2:folder": ("PutObject:folder",),
    "ListObjectVersions:folder": ("PutObject:folder",),
    "ListObjectVersions:marker": _DELETED,
    "PutObjectRetention:compliance": (_LOCKED,),
    "PutObjectRetention:less": (_LOCKED, "PutObjectRetention"),
    "PutObjectLegalHold:off": (_LOCKED, "PutObjectLegalHold"),
    "DeleteObject:retained": (_LOCKED, "PutObject:lock"),
    "DeleteObject:held": (_LOCKED, "PutObject:hold"),
    "PutBucketVersioning:off": ("PutBucketVersioning",),
    "GetBucketWebsite:full": ("PutBucketWebsite:full",),
    "GetBucketCors:full": ("PutBucketCors:full",),
    "GetBucketLifecycleConfiguration:move": ("PutBucketLifecycleConfiguration:move",),
    "GetBucketLifecycleConfiguration:old": ("PutBucketLifecycleConfiguration:old",),
    "PutBucketTagging:two": ("PutBucketTagging",),
    "GetBucketTagging:two": ("PutBucketTagging:two",),
    "PutObjectTagging:two": ("PutObjectTagging",),
    "GetObjectTagging:two": ("PutObjectTagging:two",),
    "GetBucketEncryption:kms": ("PutBucketEncryption:kms",),
    "GetBucketNotificationConfiguration:queue": ("PutBucketNotificationConfiguration:queue",),
    "PutObjectLockConfiguration:years": (_LOCKED,),
}

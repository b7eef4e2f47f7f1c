"""Amazon S3."""

from __future__ import annotations

from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.hints import rules_s3, ways_s3, ways_s3_buckets
from likewise.cloud.services.call import words

BUCKET, KEY = Name("bucket"), Name("key")
BUCKET_ARN = Text(("arn:aws:s3:::", BUCKET))
OWNER = "123456789012"
GRANTEE = f'id="{OWNER}"'
ROLE = f"arn:aws:iam::{OWNER}:role/likewise"
TOPIC = f"arn:aws:sns:us-east-1:{OWNER}:likewise"
POLICY = Text(
    (
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*",'
        '"Action":"s3:GetObject","Resource":"arn:aws:s3:::',
        BUCKET,
        '/*"}]}',
    )
)
S3_DESTINATION = {"Bucket": BUCKET_ARN, "Format": "CSV"}
MADE = Ref(-1, ("PutObject", "ETag"))
OTHER_ETAG = '"0123456789abcdef0123456789abcdef"'
EARLIER, LATER = "2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"

BODY = b"hello, likewise"
VALUES: dict[str, Any] = {
    "Body": BODY,
    "PutObject.Body": BODY,
    "UploadPart.Body": BODY,
    "PartNumber": 1,
    "CopySource": Text((BUCKET, "/", KEY)),
    "CopyObject.Key": Name("key", 1),
    "RenameObject.Key": Name("key", 1),
    "PutBucketAcl.ACL": "private",
    "PutObjectAcl.ACL": "private",
    "RenameSource": Text(("/", BUCKET, "/", KEY)),
    "CompleteMultipartUpload.MultipartUpload": {
        "Parts": [{"ETag": Ref(-1, ("UploadPart", "ETag")), "PartNumber": 1}]
    },
    "Tagging": {"TagSet": [{"Key": "colour", "Value": "blue"}]},
    "PutObject?Tagging": "colour=blue",
    "CopyObject?Tagging": "colour=blue",
    "CreateMultipartUpload?Tagging": "colour=blue",
    "VersioningConfiguration": {"Status": "Enabled"},
    "Policy": POLICY,
    "ACL": "private",
    "AccelerateConfiguration": {"Status": "Enabled"},
    "PutBucketAccelerateConfiguration.AccelerateConfiguration": {"Status": "Enabled"},
    "CORSConfiguration": {"CORSRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}]},
    "ServerSideEncryptionConfiguration": {
        "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
    },
    "LifecycleConfiguration": {
        "Rules": [
            {"ID": "one", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 10}}
        ]
    },
    "PutBucketLifecycleConfiguration.LifecycleConfiguration": {
        "Rules": [
            {"ID": "one", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 10}}
        ]
    },
    "PutBucketLifecycle.LifecycleConfiguration": {
        "Rules": [{"ID": "one", "Status": "Enabled", "Prefix": "logs/", "Expiration": {"Days": 10}}]
    },
    "BucketLoggingStatus": {},
    "NotificationConfiguration": {},
    "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
    "PublicAccessBlockConfiguration": {
        "BlockPublicAcls": True,
        "IgnorePublicAcls": True,
        "BlockPublicPolicy": True,
        "RestrictPublicBuckets": True,
    },
    "RequestPaymentConfiguration": {"Payer": "BucketOwner"},
    "WebsiteConfiguration": {"IndexDocument": {"Suffix": "index.html"}},
    "ReplicationConfiguration": {
        "Role": ROLE,
        "Rules": [
            {
                "ID": "one",
                "Status": "Enabled",
                "Priority": 1,
                "Filter": {"Prefix": ""},
                "DeleteMarkerReplication": {"Status": "Disabled"},
                "Destination": {"Bucket": BUCKET_ARN},
            }
        ],
    },
    "AnalyticsConfiguration": {"Id": "conf", "StorageClassAnalysis": {}},
    "MetricsConfiguration": {"Id": "conf"},
    "IntelligentTieringConfiguration": {
        "Id": "conf",
        "Status": "Enabled",
        "Tierings": [{"Days": 90, "AccessTier": "ARCHIVE_ACCESS"}],
    },
    "InventoryConfiguration": {
        "Id": "conf",
        "IsEnabled": True,
        "IncludedObjectVersions": "All",
        "Schedule": {"Frequency": "Daily"},
        "Destination": {"S3BucketDestination": S3_DESTINATION},
    },
    "Id": "conf",
    "ObjectLockConfiguration": {
        "ObjectLockEnabled": "Enabled",
        "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}},
    },
    "PutObjectLockConfiguration.ObjectLockConfiguration": {
        "ObjectLockEnabled": "Enabled",
        "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}},
    },
    "Delete": {"Objects": [{"Key": KEY}]},
    "LegalHold": {"Status": "ON"},
    "PutObjectLegalHold.LegalHold": {"Status": "ON"},
    "PutObjectRetention.Retention": {"Mode": "GOVERNANCE", "RetainUntilDate": LATER},
    "RestoreRequest": {"Days": 1, "GlacierJobParameters": {"Tier": "Standard"}},
    "RestoreObject.RestoreRequest": {"Days": 1, "GlacierJobParameters": {"Tier": "Standard"}},
    "SelectObjectContent.Expression": "SELECT * FROM s3object s",
    "ExpressionType": "SQL",
    "InputSerialization": {"CSV": {}},
    "OutputSerialization": {"CSV": {}},
    "ObjectAttributes": ["ETag", "ObjectSize"],
    "MetadataConfiguration": {"JournalTableConfiguration": {"RecordExpiration": {"Expiration": "DISABLED"}}},
    "MetadataTableConfiguration": {
        "S3TablesDestination": {
            "TableBucketArn": f"arn:aws:s3tables:us-east-1:{OWNER}:bucket/likewise",
            "TableName": "facts",
        }
    },
    "InventoryTableConfiguration": {"ConfigurationState": "DISABLED"},
    "JournalTableConfiguration": {"RecordExpiration": {"Expiration": "DISABLED"}},
    "AnnotationTableConfiguration": {"ConfigurationState": "DISABLED"},
    "AbacStatus": {"Status": "Disabled"},
    "ObjectEncryption": {"SSEKMS": {"KMSKeyArn": f"arn:aws:kms:us-east-1:{OWNER}:key/likewise"}},
    "AnnotationName": "note",
    "AnnotationPayload": b"a note",
    "RequestRoute": "route",
    "RequestToken": "token",
    "ExpectedBucketOwner": OWNER,
    "ExpectedSourceBucketOwner": OWNER,
    "StorageClass": "STANDARD_IA",
    "SSECustomerAlgorithm": None,
    "Range": "bytes=0-3",
    "CopySourceRange": None,
    "ContentMD5": "F/jBzBYDPVl3dbEMKfZcPQ==",
    "ContentType": "text/plain",
    "ContentEncoding": "identity",
    "CacheControl": "no-cache",
    "ContentDisposition": "attachment",
    "ContentLanguage": "en",
    "WebsiteRedirectLocation": "/elsewhere",
    "Metadata": {"colour": "blue"},
    "MaxKeys": 2,
    "MaxParts": 1,
    "MaxUploads": 1,
    "MaxBuckets": 1,
    "Delimiter": "/",
    "EncodingType": "url",
    "Prefix": Name("key"),
    "ListBuckets.Prefix": Name("prefix"),
    "StartAfter": "a",
    "Marker": "a",
    "KeyMarker": "a",
    **dict.fromkeys(
        ("GrantFullControl", "GrantRead", "GrantReadACP", "GrantWrite", "GrantWriteACP"), GRANTEE
    ),
    "IfMatch": "*",
    "IfNoneMatch": OTHER_ETAG,
    "IfModifiedSince": "2020-01-01T00:00:00Z",
    "IfUnmodifiedSince": LATER,
    "CopySourceIfModifiedSince": "2020-01-01T00:00:00Z",
    "CopySourceIfUnmodifiedSince": LATER,
    "Expires": LATER,
    "ObjectLockMode": "GOVERNANCE",
    "ObjectLockRetainUntilDate": LATER,
    "ResponseContentType": "text/html",
    "CreateBucketConfiguration": None,
    "ServerSideEncryption": "AES256",
    "SSEKMSKeyId": None,
    "MetadataDirective": "REPLACE",
    "BucketRegion": "us-east-1",
    "ContentLength": None,
    "PutBucketNotification.NotificationConfiguration": {},
}

HINTS = Hints(
    names={"Bucket": "bucket", "Key": "key"},
    makers={"bucket": "CreateBucket", "key": "PutObject"},
    sources={
        "UploadId": ("CreateMultipartUpload", ("UploadId",)),
        "VersionId": ("PutObject", ("VersionId",)),
    },
    values=VALUES,
    creates={
        "CreateBucket": words("bucket"),
        "PutObject": words("key"),
        "CreateMultipartUpload": words("key"),
        "UploadPart": words("key"),
        "ListParts": words("key"),
        "AbortMultipartUpload": words("key"),
        "CompleteMultipartUpload": words("key"),
        "WriteGetObjectResponse": words("bucket key"),
    },
    needs={
        "CompleteMultipartUpload": ("UploadPart",),
        "ListParts": ("UploadPart",),
        "ListObjects": ("PutObject",),
        "ListObjectsV2": ("PutObject",),
        "ListObjectVersions": ("PutBucketVersioning", "PutObject"),
        "ListMultipartUploads": ("CreateMultipartUpload",),
        "ListBuckets": ("CreateBucket",),
        "DeleteObjects": ("PutObject",),
        "GetBucketPolicyStatus": ("PutBucketPolicy",),
        "PutBucketReplication": ("PutBucketVersioning",),
        "GetObjectLockConfiguration": ("CreateBucket:lock", "PutObjectLockConfiguration"),
        "PutBucketAcl": ("PutBucketOwnershipControls:acl",),
        "PutObjectAcl": ("PutBucketOwnershipControls:acl", "PutObject"),
        "PutObjectLockConfiguration": ("CreateBucket:lock",),
        "PutObjectLegalHold": ("CreateBucket:lock",),
        "PutObjectRetention": ("CreateBucket:lock",),
        "GetObjectLegalHold": ("CreateBucket:lock", "PutObjectLegalHold"),
        "GetObjectRetention": ("CreateBucket:lock", "PutObjectRetention"),
        "RestoreObject": ("PutObject:glacier",),
        "SelectObjectContent": ("PutObject",),
        **{
            f"ListBucket{kind}Configurations": (f"PutBucket{kind}Configuration",)
            for kind in ("Analytics", "IntelligentTiering", "Inventory", "Metrics")
        },
        **ways_s3_buckets.NEEDS,
        **ways_s3.NEEDS,
        **rules_s3.NEEDS,
    },
    ways={**ways_s3_buckets.WAYS, **ways_s3.WAYS, **rules_s3.WAYS},
    failing={
        "IfMatch": {"IfMatch": OTHER_ETAG},
        "IfNoneMatch": {"IfNoneMatch": "*"},
        **{f"{name}.IfNoneMatch": {"IfNoneMatch": MADE} for name in ("GetObject", "HeadObject")},
        "CopySourceIfMatch": {"CopySourceIfMatch": OTHER_ETAG},
        "CopySourceIfNoneMatch": {"CopySourceIfNoneMatch": "*"},
        "IfModifiedSince": {"IfModifiedSince": LATER},
        "IfUnmodifiedSince": {"IfUnmodifiedSince": EARLIER},
        "CopySourceIfModifiedSince": {"CopySourceIfModifiedSince": LATER},
        "CopySourceIfUnmodifiedSince": {"CopySourceIfUnmodifiedSince": EARLIER},
    },
    holding={
        "IfMatch": ({"IfMatch": MADE},),
        "CopySourceIfMatch": ({"CopySourceIfMatch": MADE},),
        "CopySourceIfNoneMatch": ({"CopySourceIfNoneMatch": OTHER_ETAG},),
    },
    related={
        "CreateBucket:here": ({"Bucket": BUCKET},),
        "PutObject:before": ({"Key": KEY},),
        "CreateBucket:lock": ({"ObjectLockEnabledForBucket": True},),
        "PutBucketOwnershipControls:acl": (
            {"OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}},
        ),
        "PutObject:glacier": ({"StorageClass": "GLACIER"},),
    },
    observers={
        "CreateBucket": ("HeadBucket", "ListBuckets", "GetBucketLocation"),
        "DeleteBucket": ("HeadBucket", "ListBuckets"),
        "PutObject": ("GetObject", "HeadObject", "ListObjectsV2"),
        "CopyObject": ("GetObject", "HeadObject", "ListObjectsV2"),
        "RenameObject": ("ListObjectsV2",),
        "CompleteMultipartUpload": ("GetObject", "HeadObject", "ListObjectsV2", "ListMultipartUploads"),
        "DeleteObject": ("GetObject", "ListObjectsV2"),
        "DeleteObjects": ("GetObject", "ListObjectsV2"),
        "CreateMultipartUpload": ("ListMultipartUploads",),
        "AbortMultipartUpload": ("ListMultipartUploads",),
        "UploadPart": ("ListParts",),
        "UploadPartCopy": ("ListParts",),
        "PutObjectTagging": ("GetObjectTagging", "HeadObject"),
        "DeleteObjectTagging": ("GetObjectTagging",),
        "RestoreObject": ("HeadObject",),
        "PutObjectLegalHold": ("GetObjectLegalHold",),
        "PutObjectRetention": ("GetObjectRetention",),
        "PutObjectAcl": ("GetObjectAcl",),
        "PutBucketPolicy": ("GetBucketPolicy", "GetBucketPolicyStatus"),
    },
    shows={
        "CreateBucket.ACL": ("GetBucketAcl",),
        "CreateBucket.Grant*": ("GetBucketAcl",),
        "CreateBucket.ObjectOwnership": ("GetBucketOwnershipControls",),
        "CreateBucket.ObjectLock*": ("GetObjectLockConfiguration", "GetBucketVersioning"),
        "CreateBucket.CreateBucketConfiguration": ("GetBucketLocation", "GetBucketTagging"),
        "*Object.ACL": ("GetObjectAcl",),
        "*Object.Grant*": ("GetObjectAcl",),
        "*Object.Tagging*": ("GetObjectTagging",),
        "*Object.ObjectLock*": ("HeadObject",),
    },
    poison=words("ContentLength"),
    removers={"bucket": "DeleteBucket", "key": "DeleteObject"},
    lists=words(
        "ListObjects ListObjectsV2 ListObjectVersions ListMultipartUploads ListParts ListBuckets "
        "ListBucketAnalyticsConfigurations ListBucketIntelligentTieringConfigurations "
        "ListBucketInventoryConfigurations ListBucketMetricsConfigurations"
    ),
)

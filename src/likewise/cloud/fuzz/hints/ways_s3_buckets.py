"""How else S3's buckets are called: what is configured of them, in full and in other words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Text

BUCKET = Name("bucket")
OWNER = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a"
LATER = "2031-01-01T00:00:00Z"
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
LOCKED = "CreateBucket:lock"
RULE = {"ID": "two", "Status": "Enabled"}
PUBLIC = {"ACL": "public-read"}
TAG = {"Key": "colour", "Value": "blue"}
ELSEWHERE = {"CreateBucketConfiguration": {"LocationConstraint": "eu-west-1"}}
HEADERS = {
    "ACL": None,
    "GrantFullControl": f'id="{OWNER}"',
    "GrantRead": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"',
    "GrantReadACP": 'uri="http://acs.amazonaws.com/groups/global/AuthenticatedUsers"',
}


def _denying(*actions: str, whole: bool = False) -> dict[str, Any]:
    """A policy that forbids everybody to do something to the objects of a bucket, or to it as a `whole`."""
    words = ",".join(f'"{action}"' for action in actions)
    return {
        "Policy": Text(
            (
                '{"Version":"2012-10-17","Statement":[{"Sid":"one","Effect":"Deny","Principal":"*",'
                f'"Action":[{words}],"Resource":"arn:aws:s3:::',
                BUCKET,
                f'{"" if whole else "/*"}"}}]}}',
            )
        )
    }


def _copies(name: str, priority: int, which: Mapping[str, Any], **rest: Any) -> dict[str, Any]:
    return {
        "ID": name,
        "Status": "Enabled",
        "Priority": priority,
        "Filter": which,
        "DeleteMarkerReplication": {"Status": "Disabled"},
        "Destination": {"Bucket": Text(("arn:aws:s3:::", BUCKET)), **rest},
    }


FILTERS = [{"Name": "suffix", "Value": ".jpg"}, {"Name": "prefix", "Value": "logs/"}]


def _rule(**rest: Any) -> dict[str, Any]:
    return {"LifecycleConfiguration": {"Rules": [{**RULE, **rest}]}}


WAYS: dict[str, Mapping[str, Any]] = {
    "CreateBucket:elsewhere": ELSEWHERE,
    "CreateBucket:again": ELSEWHERE,
    "CreateBucket:public": PUBLIC,
    "CreateBucket:owned": {"ObjectOwnership": "ObjectWriter"},
    "CreateBucket:locked": {"ObjectLockEnabledForBucket": True},
    "CreateBucket:tagged": {
        "CreateBucketConfiguration": {
            "LocationConstraint": "eu-west-1",
            "Tags": [{"Key": "colour", "Value": "blue"}],
        }
    },
    "GetBucketLocation:elsewhere": {"Bucket": BUCKET},
    "PutBucketAcl:grants": GRANTS,
    "PutBucketAcl:headers": HEADERS,
    "PutBucketAcl:logs": {"ACL": "log-delivery-write"},
    "PutBucketAcl:blocked": PUBLIC,
    "PutBucketAcl:enforced": PUBLIC,
    "PutBucketPolicy:blocked": {"Bucket": BUCKET},
    "PutBucketPolicy:unreadable": _denying("s3:GetObject", "s3:GetObjectTagging"),
    "PutBucketPolicy:unwritable": _denying("s3:PutObject"),
    "PutBucketPolicy:unlisted": _denying("s3:ListBucket*", whole=True),
    "PutBucketVersioning:locked": {"VersioningConfiguration": {"Status": "Suspended"}},
    "DeleteBucket:marker": {"Bucket": BUCKET},
    "DeleteBucket:upload": {"Bucket": BUCKET},
    "PutBucketLogging:on": {
        "BucketLoggingStatus": {"LoggingEnabled": {"TargetBucket": BUCKET, "TargetPrefix": "logs/"}}
    },
    "PutBucketLogging:off": {"Bucket": BUCKET},
    "PutBucketAcl:public": {"ACL": "public-read"},
    "PutBucketVersioning:off": {"VersioningConfiguration": {"Status": "Suspended"}},
    "PutBucketWebsite:redirect": {
        "WebsiteConfiguration": {"RedirectAllRequestsTo": {"HostName": "example.com", "Protocol": "https"}}
    },
    "PutBucketWebsite:full": {
        "WebsiteConfiguration": {
            "IndexDocument": {"Suffix": "index.html"},
            "ErrorDocument": {"Key": "error.html"},
            "RoutingRules": [
                {
                    "Condition": {"KeyPrefixEquals": "old/", "HttpErrorCodeReturnedEquals": "404"},
                    "Redirect": {"HostName": "example.com", "ReplaceKeyPrefixWith": "new/"},
                },
                {
                    "Condition": {"KeyPrefixEquals": "gone/"},
                    "Redirect": {
                        "Protocol": "https",
                        "HttpRedirectCode": "301",
                        "ReplaceKeyWith": "gone.html",
                    },
                },
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
        NoncurrentVersionTransitions=[
            {"NoncurrentDays": 10, "StorageClass": "STANDARD_IA"},
            {"NoncurrentDays": 20, "StorageClass": "GLACIER"},
        ],
        AbortIncompleteMultipartUpload={"DaysAfterInitiation": 7},
    ),
    "PutBucketLifecycleConfiguration:tagged": _rule(
        Filter={"And": {"Prefix": "logs/", "Tags": [{"Key": "size", "Value": "big"}, TAG]}},
        Expiration={"Date": "2031-01-01T00:00:00Z"},
    ),
    "PutBucketLifecycleConfiguration:prefix": _rule(Prefix="logs/", Expiration={"Days": 10}),
    "PutBucketLifecycleConfiguration:many": {
        "LifecycleConfiguration": {
            "Rules": [
                {**RULE, "Filter": {"Tag": TAG}, "Expiration": {"ExpiredObjectDeleteMarker": True}},
                {
                    "ID": "three",
                    "Status": "Disabled",
                    "Filter": {
                        "And": {
                            "Prefix": "logs/",
                            "Tags": [TAG],
                            "ObjectSizeGreaterThan": 1,
                            "ObjectSizeLessThan": 9,
                        }
                    },
                    "Transitions": [{"Date": LATER, "StorageClass": "GLACIER"}],
                },
                {
                    "ID": "one",
                    "Status": "Enabled",
                    "Filter": {"ObjectSizeGreaterThan": 500},
                    "NoncurrentVersionExpiration": {"NoncurrentDays": 30, "NewerNoncurrentVersions": 3},
                },
            ]
        }
    },
    "GetBucketLifecycleConfiguration:move": {"Bucket": BUCKET},
    "GetBucketLifecycleConfiguration:old": {"Bucket": BUCKET},
    "PutBucketTagging:two": {
        "Tagging": {"TagSet": [{"Key": "size", "Value": "big"}, {"Key": "colour", "Value": "red"}]}
    },
    "GetBucketTagging:two": {"Bucket": BUCKET},
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
    "PutBucketPolicy:denied": _denying("s3:DeleteObject"),
    "PutBucketNotificationConfiguration:queue": {
        "NotificationConfiguration": {
            "QueueConfigurations": [
                {
                    "Id": "one",
                    "QueueArn": "arn:aws:sqs:us-east-1:123456789012:likewise",
                    "Events": ["s3:ObjectRemoved:*", "s3:ObjectCreated:*"],
                    "Filter": {"Key": {"FilterRules": FILTERS}},
                },
                {
                    "Id": "another",
                    "QueueArn": "arn:aws:sqs:us-east-1:123456789012:likewise",
                    "Events": ["s3:ObjectRestore:*"],
                },
            ]
        }
    },
    "GetBucketNotificationConfiguration:queue": {"Bucket": BUCKET},
    "PutBucketNotificationConfiguration:topic": {
        "NotificationConfiguration": {
            "TopicConfigurations": [
                {
                    "Id": "one",
                    "TopicArn": "arn:aws:sns:us-east-1:123456789012:likewise",
                    "Events": ["s3:ObjectRestore:*", "s3:ObjectRemoved:*"],
                },
                {
                    "Id": "another",
                    "TopicArn": "arn:aws:sns:us-east-1:123456789012:likewise",
                    "Events": ["s3:ReducedRedundancyLostObject"],
                },
            ],
            "LambdaFunctionConfigurations": [
                {
                    "Id": "two",
                    "LambdaFunctionArn": "arn:aws:lambda:us-east-1:123456789012:function:likewise",
                    "Events": ["s3:ObjectCreated:Put", "s3:ObjectCreated:Copy"],
                    "Filter": {"Key": {"FilterRules": FILTERS}},
                },
                {
                    "Id": "more",
                    "LambdaFunctionArn": "arn:aws:lambda:us-east-1:123456789012:function:likewise",
                    "Events": ["s3:ObjectTagging:*"],
                },
            ],
            "EventBridgeConfiguration": {},
        }
    },
    "PutBucketReplication:full": {
        "ReplicationConfiguration": {
            "Role": "arn:aws:iam::123456789012:role/likewise",
            "Rules": [
                _copies("two", 2, {"And": {"Prefix": "logs/", "Tags": [TAG]}}, StorageClass="STANDARD_IA"),
                _copies("one", 1, {"Tag": TAG}, Metrics={"Status": "Enabled"}),
            ],
        }
    },
    "PutBucketInventoryConfiguration:full": {
        "InventoryConfiguration": {
            "Id": "conf",
            "IsEnabled": False,
            "IncludedObjectVersions": "Current",
            "Schedule": {"Frequency": "Weekly"},
            "Filter": {"Prefix": "logs/"},
            "OptionalFields": ["Size", "ETag", "StorageClass"],
            "Destination": {
                "S3BucketDestination": {
                    "AccountId": "123456789012",
                    "Bucket": Text(("arn:aws:s3:::", BUCKET)),
                    "Format": "ORC",
                    "Prefix": "lists/",
                    "Encryption": {"SSEKMS": {"KeyId": KMS}},
                }
            },
        }
    },
    "PutPublicAccessBlock:less": {"PublicAccessBlockConfiguration": {"BlockPublicAcls": True}},
    "PutObjectLockConfiguration:years": {
        "ObjectLockConfiguration": {
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Years": 1}},
        }
    },
}

NEEDS: dict[str, tuple[str, ...]] = {
    "PutBucketAcl:blocked": ("PutPublicAccessBlock",),
    "PutBucketAcl:enforced": ("PutBucketOwnershipControls",),
    "PutBucketPolicy:blocked": ("PutPublicAccessBlock",),
    "PutBucketVersioning:locked": (LOCKED,),
    "DeleteBucket:marker": ("PutBucketVersioning", "PutObject", "DeleteObject"),
    "DeleteBucket:upload": ("CreateMultipartUpload",),
    "CreateBucket:again": ("CreateBucket:elsewhere",),
    "PutBucketLogging:on": ("PutBucketAcl:logs",),
    "PutBucketLogging:off": ("PutBucketLogging:on",),
    "PutBucketReplication:full": ("PutBucketVersioning",),
    "GetBucketLocation:elsewhere": ("CreateBucket:elsewhere",),
    "PutBucketVersioning:off": ("PutBucketVersioning",),
    "GetBucketWebsite:full": ("PutBucketWebsite:full",),
    "GetBucketCors:full": ("PutBucketCors:full",),
    "GetBucketLifecycleConfiguration:move": ("PutBucketLifecycleConfiguration:move",),
    "GetBucketLifecycleConfiguration:old": ("PutBucketLifecycleConfiguration:old",),
    "PutBucketTagging:two": ("PutBucketTagging",),
    "GetBucketTagging:two": ("PutBucketTagging:two",),
    "GetBucketEncryption:kms": ("PutBucketEncryption:kms",),
    "GetBucketNotificationConfiguration:queue": ("PutBucketNotificationConfiguration:queue",),
    "PutObjectLockConfiguration:years": (LOCKED,),
}

#!/usr/bin/perl
# A REST client in Perl that adds, gets, updates and searches. Its methods are made of the OpenAPI 3.0 description
# that the server itself publishes.
#
# Usage: openapi_client.pl http://HOST:PORT
# Ends with 0 when the server did what was expected, and prints what it did.
use strict;
use warnings;
use Mojo::JSON qw(encode_json true);
use OpenAPI::Client;

my $server = shift or die "Usage: openapi_client.pl http://HOST:PORT\n";

sub answer {
    my ($what, $tx, $status) = @_;
    my $code = $tx->res->code // 0;
    die "$what answered $code, expected $status: " . ($tx->res->body || $tx->error->{message} // '') . "\n" if $code != $status;
    return $tx->res->json;
}

sub same {
    my ($what, $got, $expected) = @_;
    die "$what: got " . encode_json([$got]) . ', expected ' . encode_json([$expected]) . "\n" if encode_json([$got]) ne encode_json([$expected]);
}

my $client = OpenAPI::Client->new("$server/openapi-3.0.json", base_url => $server);
my %name = (collection => 'perl', key => 'Hello', lang => 'en');

my $added = answer('add', $client->addDocument({body => {%name, contentMd => '# Hello from Perl', meta => {tags => ['a', 'b']}}}), 200);
same('id', $added->{id}, 'perl|hello|en');
print "added $added->{id}\n";

my $got = answer('get', $client->getDocument({body => {%name}}), 200);
same('document', [@$got{qw(key lang contentMd addedAt)}, $got->{meta}{tags}], [@$added{qw(key lang contentMd addedAt)}, ['a', 'b']]);
print "got $got->{contentMd}\n";

my $updated = answer('update', $client->updateDocument({body => {%name, meta => {tags => ['c']}}}), 200);
same('updated document', [$updated->{contentMd}, $updated->{meta}{tags}], ['# Hello from Perl', ['c']]);
print "updated $updated->{id}\n";

my $listed = $client->searchDocuments({body => {collection => 'perl', filterMeta => {tags => ['c']}}});
same('search', [map { $_->{key} } @{answer('search', $listed, 200)}], ['Hello']);
same('count', $listed->res->headers->header('X-Total-Count'), '1');
my $found = answer('fts', $client->searchFullText({body => {collection => 'perl', query => 'hello', highlight => true}}), 200);
same('matches', $found->{totalMatches}, 1);
print "found $found->{results}[0]{highlights}[0]{fragment}\n";

# Parameters in the query, from the specification.
my $meta = answer('doc-meta', $client->getDocumentMeta({collection => 'perl', key => 'Hello'}), 200);
same('metadata', $meta->{meta}{tags}, ['c']);
print "read the metadata of $meta->{key}\n";

my $absent = answer('get absent', $client->getDocument({body => {%name, key => 'absent'}}), 404);
same('code', $absent->{code}, 'not_found');
print "refused $absent->{error}\n";

# The client itself knows what is wrong before it asks: the schemas reach it.
my $invalid = $client->addDocument({body => {collection => 'perl', contentMd => 5}});
die "a bad request was sent\n" if ($invalid->error->{message} // '') !~ /invalid input/i;
print "held back ", join(', ', sort map { $_->{path} } @{$invalid->res->json->{errors}}), "\n";

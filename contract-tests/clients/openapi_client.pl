#!/usr/bin/perl
# A REST client in Perl that adds, gets, updates and searches. Its methods are made of the specification
# that the server itself publishes.
#
# Usage: openapi_client.pl http://HOST:PORT
# Ends with 0 when the server did what was expected, and prints what it did.
#
# OpenAPI::Client reads OpenAPI 3.0, and the specification is 3.1, so `as_3_0` says in the older words what
# the newer ones mean. Nothing else of the document is touched.
use strict;
use warnings;
use Mojo::File qw(tempfile);
use Mojo::JSON qw(decode_json encode_json true);
use Mojo::UserAgent;
use OpenAPI::Client;

my $server = shift or die "Usage: openapi_client.pl http://HOST:PORT\n";

sub as_3_0 {
    my ($node) = @_;
    return [map { as_3_0($_) } @$node] if ref $node eq 'ARRAY';
    return $node if ref $node ne 'HASH';
    my %schema = map { $_ => as_3_0($node->{$_}) } keys %$node;
    # A list of types: null is `nullable`, others are alternatives.
    if (ref $schema{type} eq 'ARRAY') {
        my @types = grep { $_ ne 'null' } @{$schema{type}};
        $schema{nullable} = true if @types < @{$schema{type}};
        if (@types == 1) { $schema{type} = $types[0] }
        else { delete $schema{type}; $schema{anyOf} = [map { {type => $_} } @types] }
    }
    # A bound that excludes itself is a flag beside the bound.
    for my $end (qw(Minimum Maximum)) {
        my $bound = $schema{"exclusive$end"};
        next if !defined $bound || ref $bound;
        $schema{lcfirst $end} = $bound;
        $schema{"exclusive$end"} = true;
    }
    $schema{enum} = [delete $schema{const}] if exists $schema{const} && !ref $schema{const};
    # Null alone is a value rather than a type.
    if (($schema{type} // '') eq 'null') { delete $schema{type}; $schema{enum} = [undef] }
    # 3.0 cannot say these, so the client lets more through than the server does.
    delete $schema{examples} if ref $schema{examples} eq 'ARRAY';
    delete $schema{propertyNames};
    $schema{items} = {} if delete $schema{prefixItems};
    # Perl's own spelling of a character by its number.
    $schema{pattern} =~ s/\\u([0-9a-fA-F]{4})/\\x{$1}/g if defined $schema{pattern} && !ref $schema{pattern};
    return \%schema;
}

sub client_of {
    my ($url) = @_;
    my $specification = as_3_0(Mojo::UserAgent->new->get("$url/openapi.json")->result->json);
    die "expected OpenAPI 3.1, got $specification->{openapi}\n" if $specification->{openapi} !~ /^3\.1\./;
    $specification->{openapi} = '3.0.3';
    delete $specification->{webhooks};
    delete $specification->{jsonSchemaDialect};
    delete $specification->{info}{license}{identifier};
    delete $specification->{info}{summary};
    my $file = tempfile(SUFFIX => '.json');
    print {$file->open('>')} encode_json($specification);
    return OpenAPI::Client->new("file://$file", base_url => $url);
}

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

my $client = client_of($server);
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

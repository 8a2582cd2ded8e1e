import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { handleBidiStreamingCall, MethodDefinition, Server } from '@grpc/grpc-js';
import type * as Reflection from '@grpc/reflection';
import { createRequire } from 'node:module';
import type { Schema } from './message/index.ts';

type Info = MethodDefinition<object, object>;

/** One version of reflection, as the package implements it. */
interface Version {
  readonly method: Info;
  readonly handle: handleBidiStreamingCall<object, object>;
}

const VERSIONS = ['v1', 'v1alpha'] as const;

/** Cached by schema: the package visits all descriptors, and tests start many servers in one process. */
const versionsOf = new WeakMap<Schema, readonly Version[]>();

/**
 * Reflection (`grpc.reflection.v1` and `v1alpha`) from the image itself. The package is loaded with the first call,
 * since loading it and visiting all descriptors takes 90 ms, which most servers never need.
 */
export function addReflection(server: Server, schema: Schema): void {
  for (const [i, version] of VERSIONS.entries()) {
    const real = (): Version => {
      let versions = versionsOf.get(schema);
      if (versions === undefined) versionsOf.set(schema, versions = loadVersions(schema));
      return versions[i]!;
    };
    const ServerReflectionInfo: Info = {
      path: `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      requestStream: true,
      responseStream: true,
      requestSerialize: (message) => real().method.requestSerialize(message),
      requestDeserialize: (bytes) => real().method.requestDeserialize(bytes),
      responseSerialize: (message) => real().method.responseSerialize(message),
      responseDeserialize: (bytes) => real().method.responseDeserialize(bytes),
    };
    server.addService({ ServerReflectionInfo }, {
      ServerReflectionInfo: (call: Parameters<Version['handle']>[0]) => real().handle(call),
    });
  }
}

/**
 * The package expects the output of proto-loader, whose files lack imports, so that strict clients reject them. The
 * package reads only the descriptors of it.
 */
function loadVersions({ files }: Schema): Version[] {
  const { ReflectionService } = createRequire(import.meta.url)('@grpc/reflection') as typeof Reflection;
  const fileDescriptorProtos = files.file.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  const versions: Version[] = [];
  const addService = (definition: { readonly ServerReflectionInfo: Info },
    implementation: { readonly ServerReflectionInfo: Version['handle'] }): void =>
    void versions.push({ method: definition.ServerReflectionInfo, handle: implementation.ServerReflectionInfo });
  new ReflectionService({ all: { fileDescriptorProtos } } as never).addToServer({ addService } as never);
  return versions;
}

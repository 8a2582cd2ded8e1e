import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import type * as Reflection from '@grpc/reflection';
import { createRequire } from 'node:module';
import { addLateService, type LoadedService, servicesOf } from './late-service.ts';
import type { Schema } from './message/index.ts';

const VERSIONS = ['v1', 'v1alpha'] as const;

/** Cached by schema: the package visits all descriptors, and tests start many servers in one process. */
const versionsOf = new WeakMap<Schema, readonly LoadedService[]>();

/** Reflection (`grpc.reflection.v1` and `v1alpha`) from the image itself. */
export function addReflection(server: Server, schema: Schema): void {
  for (const [i, version] of VERSIONS.entries()) {
    addLateService(server, `grpc.reflection.${version}.ServerReflection`, {
      ServerReflectionInfo: { requestStream: true, responseStream: true },
    }, () => {
      let versions = versionsOf.get(schema);
      if (versions === undefined) versionsOf.set(schema, versions = loadVersions(schema));
      return versions[i]!;
    });
  }
}

/**
 * The package expects the output of proto-loader, whose files lack imports, so that strict clients reject them. The
 * package reads only the descriptors of it.
 */
function loadVersions({ files }: Schema): LoadedService[] {
  const { ReflectionService } = createRequire(import.meta.url)('@grpc/reflection') as typeof Reflection;
  const fileDescriptorProtos = files.file.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  return servicesOf(new ReflectionService({ all: { fileDescriptorProtos } } as never));
}

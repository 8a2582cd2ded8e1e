import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import type { Schema } from './message/index.ts';

/**
 * Reflection (`grpc.reflection.v1` and `v1alpha`) from the image itself. The package expects what
 * proto-loader makes, whose files lack imports and which strict clients refuse; all that it reads of it
 * are the descriptors.
 */
export function addReflection(server: Server, { files }: Schema): void {
  const fileDescriptorProtos = files.file.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  new ReflectionService({ all: { fileDescriptorProtos } } as never).addToServer(server as never);
}

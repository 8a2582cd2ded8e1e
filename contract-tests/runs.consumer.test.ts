import { createClient, createConfig } from '../generated/runs/sdk/client/index.ts';
import * as functions from '../generated/runs/sdk/sdk.gen.ts';
import { consumerSuite } from './consumer.suite.ts';

consumerSuite('runs', { functions, createClient: (config) => createClient(createConfig(config)) }, 62);

import * as layout from '../../generated/kernels/clusters.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Returned by a search when there is not enough memory for it. */
export const NO_ROOM = layout.NO_ROOM;
/** Number of centroids for each part of a product quantizer. */
export const CODES = layout.CODES;

/** Exports of `asm/clusters.ts`, where their contracts are documented. Addresses and sizes are in bytes. */
export interface ClustersExports extends WebAssembly.Exports {
  rowBytes(dims: number): number;
  multiply(left: number, rows: number, stride: number, packed: number, inner: number, columns: number, out: number,
    outStride: number): void;
  multiplyVector(vector: number, packed: number, inner: number, columns: number, out: number): void;
  packMatrix(from: number, rows: number, columns: number, stride: number, to: number): void;
  packedBytes(rows: number, columns: number): number;
  squareBytes(dims: number): number;
  squareStride(dims: number): number;
  seedPoints(n: number, k: number): number;
  seedCentroids(points: number, n: number, dims: number, k: number, centroids: number, distances: number, first: number,
    end: number, seed: number): void;
  assign(points: number, n: number, stride: number, dims: number, k: number, centroids: number, assigned: number,
    distances: number): number;
  moveCentroids(points: number, n: number, dims: number, k: number, centroids: number, assigned: number,
    distances: number): number;
  normalizeRows(points: number, n: number, dims: number): void;
  takeColumns(from: number, n: number, dims: number, first: number, width: number, to: number): void;
  putCentroids(centroids: number, assigned: number, n: number, dims: number, first: number, width: number,
    to: number): void;
  makeIdentity(a: number, dims: number): void;
  multiplySquare(a: number, b: number, dims: number): number;
  rotateRows(points: number, n: number, dims: number, rotation: number, to: number): number;
  addCorrelation(x: number, y: number, n: number, dims: number, sum: number): number;
  beginOrthogonal(a: number, dims: number): void;
  orthogonalStep(a: number, dims: number, work: number, round: number): number;
  createLists(metric: number, dims: number, lists: number, centroids: number): number;
  releaseLists(file: number): void;
  addToLists(file: number, end: number, budget: number): number;
  searchLists(file: number, metric: number, query: number, probes: number, k: number, bitmap: number, end: number,
    out: number, scanned: number): number;
  listCount(file: number): number;
  listsDone(file: number): number;
  listsBytes(file: number): number;
  listsCentroids(file: number): number;
  listsCentroidBytes(file: number): number;
  listLength(file: number, list: number): number;
  copyList(file: number, list: number, to: number): void;
  restoreList(file: number, list: number, rows: number, count: number): number;
  restoreListsDone(file: number, done: number): void;
  createBook(metric: number, dims: number, parts: number, centroids: number, isRotated: number, rotation: number,
    stride: number): number;
  releaseBook(book: number): void;
  addToBook(book: number, end: number, budget: number): number;
  searchBook(book: number, metric: number, query: number, first: number, end: number, k: number, bitmap: number,
    out: number, scanned: number): number;
  bookDone(book: number): number;
  bookBytes(book: number): number;
  bookCentroids(book: number): number;
  bookCentroidBytes(book: number): number;
  bookBiases(book: number): number;
  bookRotation(book: number): number;
  bookCodes(book: number, block: number): number;
  codeBlockRows(): number;
  restoreBookDone(book: number, done: number): void;
  isLive(row: number): number;
  vectorOf(row: number): number;
}

/** The module `clusters` over the memory of a segment or of a training. */
export function clustersKernel(memory: WebAssembly.Memory, build: KernelBuild): ClustersExports {
  return instantiateKernel(loadKernel('clusters', build), memory) as ClustersExports;
}

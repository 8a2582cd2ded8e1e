/** Bytes of a name: short enough for a path on every file system. */
const MAX_BYTES = 1024;
const MAX_PART = 255;

/** Whether a text is a valid artefact name: a relative path that cannot leave its folder on any system. */
export function isArtifactName(name: string): boolean {
  if (name === '' || !name.isWellFormed() || /[\u0000-\u001f\u007f\\]/.test(name) ||
    Buffer.byteLength(name) > MAX_BYTES) return false;
  return name.split('/').every((part) =>
    part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_PART
  );
}

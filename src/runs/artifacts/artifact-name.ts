/** Bytes of a name: a path that every file system can hold. */
const MAX_BYTES = 1024;
const MAX_PART = 255;

/** Whether a text can name an artefact: a relative path that leads nowhere else, on any system. */
export function isArtifactName(name: string): boolean {
   
  if (name === '' || !name.isWellFormed() || /[\u0000-\u001f\u007f\\]/.test(name) || Buffer.byteLength(name) > MAX_BYTES) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_PART);
}

import { readFile } from 'node:fs/promises'

/** @throws {Error} naming the file and what is wrong with it */
export async function readKeyFile<T>(path: string, read: (pem: string) => T): Promise<T> {
  try {
    return read(await readFile(path, 'utf8'))
  } catch (cause) {
    const { syscall, code, message } = cause as NodeJS.ErrnoException
    throw new Error(`failed to read key "${path}": ${syscall === undefined ? message : code}`, { cause })
  }
}

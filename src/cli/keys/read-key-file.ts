import { readFile } from 'node:fs/promises'

/** @throws {Error} naming the file and what is wrong with it */
export async function readKeyFile<T>(path: string, read: (pem: string) => T): Promise<T> {
  try {
    return read(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Error(`read key "${path}": ${(cause as Error).message}`, { cause })
  }
}

import { gzipSync } from 'node:zlib'

export interface TarInput {
  readonly path: string
  readonly content?: string | Uint8Array
  readonly mode?: number
  /** The letter of the header; `0` is a file, `2` a symbolic link. */
  readonly type?: string
  readonly target?: string
}

const BLOCK = 512

/** A ustar archive. Nothing is checked: it may hold what no archive should. */
export function makeTar(members: readonly TarInput[]): Buffer {
  return Buffer.concat([...members.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)])
}

export function makeTarGz(members: readonly TarInput[]): Buffer {
  return gzipSync(makeTar(members))
}

function blocksOf({ path, content = '', mode = 0o644, type = '0', target = '' }: TarInput): Buffer[] {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(BLOCK)
  header.write(path, 0, 100)
  header.write(octal(mode, 7), 100)
  header.write(octal(1001, 7), 108)
  header.write(octal(1001, 7), 116)
  header.write(octal(bytes.length, 11), 124)
  header.write(octal(0, 11), 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(target, 157, 100)
  header.write('ustar\0', 257, 'latin1')
  header.write('00', 263)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
}

function octal(value: number, width: number): string {
  return value.toString(8).padStart(width, '0')
}

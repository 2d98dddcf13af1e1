import { generateKeyPairSync } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { readSigningKey } from '../../protocol/assignment-signature.ts'
import type { CliIo } from '../cli-io.ts'
import { asDocument, type DocumentFormat } from '../documents.ts'
import { outputOption } from '../output/output-option.ts'
import { signCommand } from './sign.ts'

interface GenerateOptions {
  readonly out: string
  readonly output: 'text' | DocumentFormat
}

export function keysCommand(io: CliIo): Command {
  const generate = new Command('generate')
    .description('make a key pair: the private key for the controller, the public key for the nodes')
    .option('--out <folder>', 'folder that both files are written to', '.')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ nodewave keys generate --out keys/')
    .action(({ out, output }: GenerateOptions) => generateKeys(io, { folder: resolve(io.cwd, out), output }))
  return new Command('keys')
    .description('make the keys of signed assignments, and sign by hand')
    .addCommand(generate)
    .addCommand(signCommand(io))
}

async function generateKeys(io: CliIo, { folder, output }: { folder: string; output: GenerateOptions['output'] }): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { id } = readSigningKey(pem)
  await mkdir(folder, { recursive: true })
  const [ofController, ofNodes] = [join(folder, `nodewave-${id}.key`), join(folder, `nodewave-${id}.pem`)]
  await writeFile(ofController, pem, { mode: 0o600, flag: 'wx' })
  await writeFile(ofNodes, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644, flag: 'wx' })
  const text = `private key, for --signing-key of the controller: ${ofController}
public key, for /etc/nodewave/trusted-keys on each node: ${ofNodes}
`
  io.stdout(output === 'text' ? text : asDocument({ id, privateKey: ofController, publicKey: ofNodes }, output))
}

/** Serve a directory over HTTP: `node serve.ts DIR ADDRESS PORT`. A process of its own, so that a kept cluster keeps it. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join, normalize } from 'node:path'

const [root, address, port] = process.argv.slice(2)
if (root === undefined || address === undefined || port === undefined) throw new Error('usage: serve.ts DIR ADDRESS PORT')

async function answer(request: IncomingMessage, response: ServerResponse, directory: string): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const path = join(directory, normalize(decodeURIComponent(pathname))) // normalize keeps an absolute path below its root
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return void response.writeHead(404).end('not found\n')
  response.writeHead(200, { 'content-length': found.size, 'last-modified': found.mtime.toUTCString() })
  if (request.method === 'HEAD') return void response.end()
  createReadStream(path)
    .on('error', (error) => response.destroy(error))
    .pipe(response)
}

createServer((request, response) => {
  response.on('finish', () => console.log(`${new Date().toISOString()} ${request.method} ${request.url} ${response.statusCode}`))
  answer(request, response, root).catch((error: Error) => response.destroy(error))
}).listen(Number(port), address)

-- The world a model file sees: the language and its pure libraries, the model's own folder for
-- `require` and `dofile`, and nothing of the system.  Called with what the reader offers, returns
-- a function that runs a text.
local offer = ...
local real_load, getinfo, find = load, debug.getinfo, string.find
local env = {}
env._G = env

for _, name in ipairs {
  "assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawlen", "rawset",
  "select", "setmetatable", "getmetatable", "tonumber", "tostring", "type", "xpcall", "_VERSION",
} do
  env[name] = _G[name]
end
for _, library in ipairs { "coroutine", "math", "string", "table", "utf8" } do
  env[library] = {}
  for name, value in pairs(_G[library]) do env[library][name] = value end
end
env.collectgarbage = function() return 0 end

-- Names of Lua 5.1, in which most model files were written.
env.unpack = table.unpack
env.table.getn = function(t) return #t end
env.math.pow = function(x, y) return x ^ y end
env.math.atan2 = math.atan
env.math.log10 = function(x) return math.log(x, 10) end
env.math.cosh = function(x) return (math.exp(x) + math.exp(-x)) / 2 end
env.math.sinh = function(x) return (math.exp(x) - math.exp(-x)) / 2 end
env.math.tanh = function(x) local e = math.exp(2 * x) return e == 1 / 0 and 1 or (e - 1) / (e + 1) end
math.randomseed(1) -- a model file means the same on every load

-- Where the file is, for the reader to know when time or memory runs out.
local function here(level)
  local info = getinfo(level + 1, "Sl")
  while info and not find(info.short_src, "^%d+$") do
    level = level + 1
    info = getinfo(level + 1, "Sl")
  end
  if info then offer.at(info.short_src, info.currentline) end
end

env.string.dump = nil
for _, name in ipairs { "find", "match", "gmatch", "gsub", "rep" } do
  local slow = string[name] -- runs for ever in C on some patterns
  env.string[name] = function(...)
    here(2)
    return slow(...)
  end
end
local strings = getmetatable("")
strings.__index = env.string
strings.__metatable = false

-- The system is out of reach, and says so by name.
local function refused(library, allowed)
  return setmetatable(allowed, {
    __metatable = false,
    __index = function(_, name)
      error(("%s.%s is not available in a model file (trusted=True allows it)")
        :format(library, tostring(name)), 2)
    end,
  })
end
local function say(...)
  local words = {}
  for k = 1, select("#", ...) do words[k] = tostring((select(k, ...))) end
  offer.say(table.concat(words, "\t"))
end
env.print = say
env.os = refused("os", { clock = os.clock, time = os.time, difftime = os.difftime })
env.io = refused("io", { write = say })
env.debug = refused("debug", { traceback = function(message) return message end })
env.package = { path = "?.lua", cpath = "", loaded = {}, preload = {} }

-- Text only: machine code made by another Lua can do anything.
env.load = function(text, name, _, scope)
  if type(text) ~= "string" then
    error("load needs a string in a model file, got a " .. type(text), 2)
  end
  return real_load(text, name or "=(load)", "t", scope == nil and env or scope)
end
env.loadstring = env.load

local function open(path)
  local text, problem = offer.read(tostring(path))
  if not text then return nil, problem end
  return real_load(text, offer.chunk(tostring(path)), "t", env)
end
env.loadfile = open
env.dofile = function(path)
  local chunk, problem = open(path)
  if not chunk then error(problem, 0) end
  return chunk()
end
env.require = function(name)
  name = tostring(name)
  local loaded = env.package.loaded
  if loaded[name] == nil then
    local path = name:gsub("%.", "/")
    local chunk, problem = open(path .. ".lua")
    if not chunk and not offer.exists(path .. ".lua") then
      local inner = open(path .. "/init.lua")
      if inner then chunk = inner end
    end
    if not chunk then error(problem, 0) end
    loaded[name] = true
    local value = chunk(name)
    if value ~= nil then loaded[name] = value end
  end
  return loaded[name]
end
for _, library in ipairs { "coroutine", "math", "string", "table", "utf8" } do
  env.package.loaded[library] = env[library]
end

-- A message with the place where it arose.
local function placed(message)
  if type(message) ~= "string" then
    message = "(error object is a " .. type(message) .. " value)"
  end
  if find(message, "^%d+:%d+: ") then return message end
  for level = 2, 30 do
    local info = getinfo(level, "Sl")
    if not info then break end
    if info.currentline > 0 and find(info.short_src, "^%d+$") then
      return info.short_src .. ":" .. info.currentline .. ": " .. message
    end
  end
  return message
end

return function(text, chunk_name, every_line)
  local chunk, problem = real_load(text, chunk_name, "t", env)
  if not chunk then return false, problem end
  debug.sethook(function() here(2) end, every_line and "l" or "", every_line and 0 or 1000000)
  local ok, result = xpcall(chunk, placed)
  debug.sethook()
  return ok, result
end

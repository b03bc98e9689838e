-- What goes back to the reader: the returned table as JSON, and errors with their place.
local max_depth, max_values, max_text = ...
local type, next, rawget, tostring, error, pcall = type, next, rawget, tostring, error, pcall
local getinfo, format, gsub, sub = debug.getinfo, string.format, string.gsub, string.sub
local concat, math_type, byte = table.concat, math.type, string.byte

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\" }
local function escape(character)
  return ESCAPES[character] or format("\\u%04x", byte(character))
end

local function number(x)
  if math_type(x) == "integer" then return format("%d", x) end
  if x ~= x then return "NaN" end
  if x == 1 / 0 then return "Infinity" end
  if x == -1 / 0 then return "-Infinity" end
  return format("%.17g", x)
end

-- A table is {"a": array part, "k": string keys, "o": other keys}; what is no data {"f": type}.
-- Returns the text, or nil and the reason.
local function export(value)
  local out, size, values, length, problem = {}, 0, 0, 0, nil
  local function put(text) size = size + 1 out[size] = text end
  local function stop(message) problem = message error(message, 0) end

  local function quote(text)
    length = length + #text
    if length > max_text then
      stop(format("the returned table has more than %d bytes of text", max_text))
    end
    put('"') put((gsub(text, '[%c"\\]', escape))) put('"')
  end

  local write
  local function write_table(t, depth)
    if depth > max_depth then
      stop(format("the returned table is cyclic, or nested more than %d deep", max_depth))
    end
    put('{"a":[')
    local n = 0
    while rawget(t, n + 1) ~= nil do
      n = n + 1
      if n > 1 then put(",") end
      write(rawget(t, n), depth)
    end
    put('],"k":{')
    local other, first = {}, true
    for key, item in next, t do
      if type(key) == "string" then
        if not first then put(",") end
        first = false
        quote(key) put(":") write(item, depth)
      elseif math_type(key) ~= "integer" or key < 1 or key > n then
        local plain = type(key) == "number" or type(key) == "boolean"
        other[#other + 1] = '"' .. (plain and tostring(key) or type(key)) .. '"'
      end
    end
    put('},"o":[') put(concat(other, ",")) put("]}")
  end

  function write(item, depth)
    values = values + 1
    if values > max_values then
      stop(format("the returned table has more than %d values", max_values))
    end
    local kind = type(item)
    if kind == "table" then write_table(item, depth + 1)
    elseif kind == "string" then quote(item)
    elseif kind == "number" then put(number(item))
    elseif kind == "boolean" then put(tostring(item))
    else put('{"f":"' .. kind .. '"}') end
  end

  local ok, message = pcall(write, value, 0)
  if not ok then return nil, problem or message end
  return concat(out)
end

-- A message as "chunk:line: text", with the chunk's whole name, if the line is known.  Levels of
-- chunks that `hidden` says are no part of the model do not count.
local function placed(message, hidden)
  if type(message) ~= "string" then
    message = "(error object is a " .. type(message) .. " value)"
  end
  local place
  for level = 2, 40 do
    local info = getinfo(level, "Sl")
    if not info then break end
    if info.currentline > 0 and not (hidden and hidden(info.short_src)) then
      local here = gsub(info.source, "^[@=]", "") .. ":" .. info.currentline .. ": "
      local prefix = info.short_src .. ":" .. info.currentline .. ": "
      if sub(message, 1, #prefix) == prefix then return here .. sub(message, #prefix + 1) end
      place = place or here
    end
  end
  return place and place .. message or message
end

return { export = export, placed = placed }

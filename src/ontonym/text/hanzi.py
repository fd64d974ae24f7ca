"""Chinese characters of clinical names in their traditional and their simplified form."""

from __future__ import annotations

_TRADITIONAL = (
    "乾亂併個側傷兒內兩創劇劑動喪單嘔嚥嚨嚴圓塊壓壞奮婦嬰孿寬幹廢張彎後復徵態慮憂憶應懷戰損擴攣斷暈會桿極"
    "樣檢欬歲歷殘殼氣淚減溫滯滿潰澀濕瀉為無熱燒營爛狀狹現環產異痙痺瘍瘓瘡瘧瘺療癇癒癢癥癬癱癲發皺瞼積竇節"
    "糞糧紅紋純細結絕絞絡統經綜綠網緊緩縫縮繃繼續聲聽脈脫脹腎腦腫腳腸膚膠膩膵膽膿臉臍臓臟臨與興莖葉藍藥虛"
    "蟲術衝複視覺記診認識護變貧質輕轉進過遠適遲鈉鈍鈣鉀銅鋅鎂鎖鏈鐵長門閉關陰陽雙雜離靜韌頂頭頰頸頻額顎顏"
    "類顫顱顳風飲飽養餓饑驗體髮鬆鬍鬚鬥鬱鹼麵黃點黴齒齡齦齶"
)
_SIMPLE = (
    "干乱并个侧伤儿内两创剧剂动丧单呕咽咙严圆块压坏奋妇婴孪宽干废张弯后复征态虑忧忆应怀战损扩挛断晕会杆极"
    "样检咳岁历残壳气泪减温滞满溃涩湿泻为无热烧营烂状狭现环产异痉痹疡痪疮疟瘘疗痫愈痒症癣瘫癫发皱睑积窦节"
    "粪粮红纹纯细结绝绞络统经综绿网紧缓缝缩绷继续声听脉脱胀肾脑肿脚肠肤胶腻胰胆脓脸脐脏脏临与兴茎叶蓝药虚"
    "虫术冲复视觉记诊认识护变贫质轻转进过远适迟钠钝钙钾铜锌镁锁链铁长门闭关阴阳双杂离静韧顶头颊颈频额颚颜"
    "类颤颅颞风饮饱养饿饥验体发松胡须斗郁碱面黄点霉齿龄龈腭"
)

SIMPLIFIED = {ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLE, strict=True)}
"""For `str.translate`. Japanese keeps many traditional forms, so that a text is read both ways."""
